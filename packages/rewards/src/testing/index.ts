/**
 * The conformance suites of rewards: of episodes, and of whole groups.
 * @module @laconic/rewards/testing
 */
export { groupRewardCases } from "./group-reward-cases.ts";
export { rewardCases } from "./reward-cases.ts";
