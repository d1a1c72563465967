/**
 * The conformance suite of reward functions.
 * @module @laconic/rewards/testing
 */
export { rewardFunctionCases } from "./reward-function-cases.ts";
