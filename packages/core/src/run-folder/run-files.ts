/** Names of files and folders inside a run directory. Nobody else spells one out. */
export const runFiles = {
  config: "config.json",
  manifest: "manifest.json",
  environment: "environment.json",
  metrics: "metrics.jsonl",
  timing: "timing.jsonl",
  episodes: "episodes.jsonl.gz",
  evaluations: "evaluations.jsonl",
  dropped: "dropped.jsonl",
  warnings: "warnings.jsonl",
  changes: "changes.jsonl",
  warmStart: "warm-start.json",
  checkpoints: "checkpoints",
  beginning: "beginning",
} as const;

/** What folders of earlier versions call the same: always read, and no longer written. */
export const formerRunFiles = {
  warmStart: "lessons.json",
  records: "records.jsonl",
  rollouts: "rollouts.jsonl",
  episodes: "episodes.jsonl",
} as const;
