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
};
