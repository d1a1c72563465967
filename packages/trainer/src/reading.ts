/**
 * What a program needs that reads run folders and trains nothing: names of files and metrics, and what tells a decline.
 * @module @laconic/trainer/reading
 */
export { declineOf } from "./decline.ts";
export type { Evaluation, Measured } from "./evaluate.ts";
export { describeMetric, metricNames } from "./metric-names.ts";
export type { MetricName } from "./metric-names.ts";
export { runFiles } from "./run/run-files.ts";
