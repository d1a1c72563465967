/**
 * Golden numbers, a central-difference check of objectives, and conformance suites of estimators and critics.
 * @module @laconic/gspo/testing
 */
export { criticCases, type CriticSubject } from "./critic-cases.ts";
export { estimatorCases } from "./estimator-cases.ts";
export { goldenInput, goldenRewards } from "./golden.ts";
export { centralDifferences } from "./central-differences.ts";
