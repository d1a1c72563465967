/**
 * Checks of what users give: options of functions, results of their functions, and names that are looked up in a table.
 * @module @laconic/core/checks
 */
export { checkedAnswer, checkedCall, checkValue, type ValueName } from "./checked-call.ts";
export { optionCheck } from "./option-check.ts";
export { wordTable } from "./word-table.ts";
