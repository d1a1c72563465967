/**
 * Functions with the same bits on every JavaScript engine, and statistics.
 * @module @laconic/core/numeric
 */
export { cosine, sine } from "./cosine.ts";
export {
  studentInterval,
  studentTest,
  varianceOfMean,
  betaQuantile,
  logGamma,
  studentQuantile,
  clusteredWilsonInterval,
  wilsonInterval,
} from "./intervals.ts";
export type { Estimate, Cluster } from "./intervals.ts";
export { exponential, exponentialMinusOne, logarithm } from "./exponential.ts";
export { grouped } from "./grouped.ts";
export { findBadLogProb, logProbRange, sampledLogProbRange, type LogProbRange } from "./log-prob.ts";
export { emptyStatistic, meanOf, mergeDiagnostics, mergeStatistics } from "./statistic.ts";
