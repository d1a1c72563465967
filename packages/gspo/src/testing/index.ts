/**
 * Numbers to match, and a central-difference check for any objective.
 * @module @laconic/gspo/testing
 */
export { goldenInput, goldenRewards } from "./golden.ts";
export { centralDifferences } from "./central-differences.ts";
