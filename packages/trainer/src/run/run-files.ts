import type { TraceNames } from "./traces.ts";

/** Names inside a run directory. */
export const runFiles = {
  config: "config.json",
  manifest: "manifest.json",
  environment: "environment.json",
  metrics: "metrics.jsonl",
  timing: "timing.jsonl",
  rollouts: "rollouts.jsonl",
  episodes: "episodes.jsonl",
  records: "records.jsonl",
  evaluations: "evaluations.jsonl",
  dropped: "dropped.jsonl",
  warnings: "warnings.jsonl",
  changes: "changes.jsonl",
  lessons: "lessons.json",
  checkpoints: "checkpoints",
  beginning: "beginning",
} as const;

/** A resumed run writes the rows after its checkpoint again. */
export const traceNames: TraceNames = {
  all: [
    runFiles.metrics,
    runFiles.timing,
    runFiles.rollouts,
    runFiles.episodes,
    runFiles.evaluations,
    runFiles.records,
    runFiles.dropped,
    runFiles.changes,
  ],
  byStep: new Set([runFiles.metrics, runFiles.timing]),
  timed: new Set([runFiles.timing]),
};

/**
 * What of a run folder differs between two equal runs: the clock and the machine, and what is drawn from them. Every other file of a
 * synchronous run has the same bytes, interrupted or not.
 */
export const unequalFiles: readonly string[] = [runFiles.timing, runFiles.environment, "tensorboard", "report.html"];
