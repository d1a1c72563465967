/**
 * The conformance suite of rewards.
 * @module @laconic/rewards/testing
 */
export { rewardCases } from "./reward-cases.ts";
