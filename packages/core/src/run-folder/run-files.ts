/** Names of files and folders in a run directory. */
export const runFiles = {
  config: "config.json",
  manifest: "manifest.json",
  environment: "environment.json",
  metrics: "metrics.jsonl",
  timing: "timing.jsonl",
  episodes: "episodes.jsonl.gz",
  evaluations: "evaluations.jsonl",
  test: "test.json",
  testEpisodes: "test-episodes.jsonl.gz",
  probe: "probe.json",
  dropped: "dropped.jsonl",
  warnings: "warnings.jsonl",
  samplers: "samplers.jsonl",
  changes: "changes.jsonl",
  warmStart: "warm-start.json",
  checkpoints: "checkpoints",
  beginning: "beginning",
  opponents: "opponents",
} as const;

/** Lifecycle and checks of a file in a run folder. */
export interface RunFileRules {
  /**
   * `replaced` by each process that opens the run; `cleared` before a new run; `trace`: cleared, and truncated to the
   * checkpoint on resume; `stays`.
   */
  readonly life: "replaced" | "cleared" | "trace" | "stays";
  /** `object`: a JSON object, or missing. `end`: complete last row. `rows`: each row is an object. */
  readonly checks?: readonly ("object" | "end" | "rows")[];
  readonly isByStep?: boolean;
  /** Clock and machine. */
  readonly isUnequal?: boolean;
  readonly isFolder?: boolean;
}

/** Rules of all files. */
export const runFileRules: Readonly<Record<keyof typeof runFiles, RunFileRules>> = {
  config: { life: "cleared" },
  manifest: { life: "replaced", checks: ["object"] },
  environment: { life: "replaced", checks: ["object"], isUnequal: true },
  metrics: { life: "trace", checks: ["end"], isByStep: true },
  timing: { life: "trace", isByStep: true, isUnequal: true },
  episodes: { life: "trace" },
  evaluations: { life: "trace", checks: ["end", "rows"] },
  test: { life: "cleared", checks: ["object"] },
  testEpisodes: { life: "cleared" },
  probe: { life: "cleared", checks: ["object"] },
  dropped: { life: "trace" },
  warnings: { life: "cleared", checks: ["rows"] },
  samplers: { life: "cleared", isUnequal: true },
  changes: { life: "trace" },
  warmStart: { life: "stays" },
  checkpoints: { life: "stays", isFolder: true },
  beginning: { life: "cleared", isFolder: true },
  opponents: { life: "cleared", isFolder: true },
};
