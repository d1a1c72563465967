/**
 * What a program needs that reads run folders and trains nothing: what became of a run and its figures, names of files and
 * metrics, and what tells a decline.
 * @module @laconic/trainer/reading
 */
export { declineOf } from "./decline.ts";
export type { Evaluation, Measured } from "./evaluate.ts";
export { describeMetric, metricNames } from "./metric-names.ts";
export type { MetricName } from "./metric-names.ts";
export { runFiles } from "./run/run-files.ts";
export { readRunFacts, stepSeconds } from "./run/run-facts.ts";
export type { RunEvaluation, RunFacts, RunFactsOptions, RunLessons, RunState } from "./run/run-facts.ts";
export { nodeProcesses } from "#platform";
export { isRunHeld } from "./run/run-source.ts";
export type { LivingProcesses, RunSource } from "./run/run-source.ts";
