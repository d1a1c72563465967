/**
 * Functions with the same bits on every JavaScript engine, statistics with their intervals, and the range of log-probs.
 * @module @laconic/core/numeric
 */
export { cosine, sine } from "./cosine.ts";
export { studentInterval, studentTest, varianceOfMean, type Estimate } from "./estimate.ts";
export { exponential } from "./exponential.ts";
export { exponentialMinusOne } from "./exponential-minus-one.ts";
export { logarithm } from "./logarithm.ts";
export { findBadLogProb, logProbRange, sampledLogProbRange, type LogProbRange } from "./log-prob.ts";
export { betaQuantile, studentQuantile } from "./quantiles.ts";
export { rankCorrelation } from "./rank-correlation.ts";
export { emptyStatistic, meanOf, mergeDiagnostics, mergeStatistics } from "./statistic.ts";
export { clusteredWilsonInterval, wilsonInterval, type Cluster } from "./wilson-interval.ts";
