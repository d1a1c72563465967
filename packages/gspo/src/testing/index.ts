/**
 * Numbers to match, a central-difference check for any objective, and the conformance suites of estimators and critics.
 * @module @laconic/gspo/testing
 */
export { criticCases, type CriticSubject } from "./critic-cases.ts";
export { estimatorCases } from "./estimator-cases.ts";
export { goldenInput, goldenRewards } from "./golden.ts";
export { centralDifferences } from "./central-differences.ts";
