/**
 * Numbers to match, a central-difference check for any objective, and the conformance suite of estimators.
 * @module @laconic/gspo/testing
 */
export { estimatorCases } from "./estimator-cases.ts";
export { goldenInput, goldenRewards } from "./golden.ts";
export { centralDifferences } from "./central-differences.ts";
