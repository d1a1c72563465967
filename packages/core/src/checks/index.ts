/**
 * Checks of what users give: options, results and names.
 * @module @laconic/core/checks
 */
export { checkedAnswer, checkedCall, checkValue, type ValueName } from "./checked-call.ts";
export { optionCheck } from "./option-check.ts";
export { wordTable } from "./word-table.ts";
