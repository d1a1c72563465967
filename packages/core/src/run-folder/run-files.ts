import { mapValues } from "../shapes/is-record.ts";

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
  readonly isUnequal?: boolean;
  readonly isFolder?: boolean;
}

const table = {
  config: { name: "config.json", life: "cleared" },
  manifest: { name: "manifest.json", life: "replaced", checks: ["object"] },
  environment: { name: "environment.json", life: "replaced", checks: ["object"], isUnequal: true },
  metrics: { name: "metrics.jsonl", life: "trace", checks: ["end"], isByStep: true },
  timing: { name: "timing.jsonl", life: "trace", isByStep: true, isUnequal: true },
  episodes: { name: "episodes.jsonl.gz", life: "trace" },
  evaluations: { name: "evaluations.jsonl", life: "trace", checks: ["end", "rows"] },
  test: { name: "test.json", life: "cleared", checks: ["object"] },
  testEpisodes: { name: "test-episodes.jsonl.gz", life: "cleared" },
  probe: { name: "probe.json", life: "cleared", checks: ["object"] },
  dropped: { name: "dropped.jsonl", life: "trace" },
  warnings: { name: "warnings.jsonl", life: "cleared", checks: ["rows"] },
  samplers: { name: "samplers.jsonl", life: "cleared", isUnequal: true },
  changes: { name: "changes.jsonl", life: "trace" },
  warmStart: { name: "warm-start.json", life: "stays" },
  checkpoints: { name: "checkpoints", life: "stays", isFolder: true },
  beginning: { name: "beginning", life: "cleared", isFolder: true },
  opponents: { name: "opponents", life: "cleared", isFolder: true },
} as const;

type RunFileKey = keyof typeof table;

/** Names of files and folders in a run directory. */
export const runFiles: { readonly [Key in RunFileKey]: (typeof table)[Key]["name"] } = mapValues(
  table,
  ({ name }) => name,
) as never;

/** Rules of all files. */
export const runFileRules: Readonly<Record<RunFileKey, RunFileRules>> = table;
