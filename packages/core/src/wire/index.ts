/**
 * What clients of servers share: reasons by which replies end, network errors in words, and checks of options.
 * @module @laconic/core/wire
 */
export { hostOf, networkCode, networkReason } from "./network-error.ts";
export { optionCheck } from "./option-check.ts";
export { readFinishReason } from "./read-finish-reason.ts";
export { serverAddress } from "./server-address.ts";
export { Turns } from "./turns.ts";
