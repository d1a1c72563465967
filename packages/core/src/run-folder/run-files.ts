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
  /** A row per reply of a sampling server: server, weights and version. */
  samplers: "samplers.jsonl",
  changes: "changes.jsonl",
  warmStart: "warm-start.json",
  checkpoints: "checkpoints",
  beginning: "beginning",
  opponents: "opponents",
  /** Parts of divided files older than a checkpoint. */
  parts: "parts",
} as const;

/** Life and checks of a file in a run folder. */
export interface RunFileRules {
  /**
   * `replaced`: by each process that opens the run. `cleared`: before a new run starts in an empty run's folder.
   * `trace`: cleared, and truncated to the checkpoint on resume. `stays`: never removed.
   */
  readonly life: "replaced" | "cleared" | "trace" | "stays";
  /** `object`: a JSON object or absent; `end`: its last row is whole; `rows`: each row is an object. */
  readonly checks?: readonly ("object" | "end" | "rows")[];
  /** A row for every step, one after the other. */
  readonly isByStep?: boolean;
  /** Continues in a new `TracePart` as it grows; parts are named by the text before the first dot. */
  readonly isDivided?: boolean;
  /** Differs between two equal runs: the clock and the machine. */
  readonly isUnequal?: boolean;
  readonly isFolder?: boolean;
}

/** Rules of all files, for clearing, resuming, comparing and checking. */
export const runFileRules: Readonly<Record<keyof typeof runFiles, RunFileRules>> = {
  config: { life: "cleared" },
  manifest: { life: "replaced", checks: ["object"] },
  environment: { life: "replaced", checks: ["object"], isUnequal: true },
  metrics: { life: "trace", checks: ["end"], isByStep: true, isDivided: true },
  timing: { life: "trace", isByStep: true, isDivided: true, isUnequal: true },
  episodes: { life: "trace", isDivided: true },
  evaluations: { life: "trace", checks: ["end", "rows"], isDivided: true },
  test: { life: "cleared", checks: ["object"] },
  testEpisodes: { life: "cleared" },
  probe: { life: "cleared", checks: ["object"] },
  dropped: { life: "trace", isDivided: true },
  warnings: { life: "cleared", checks: ["rows"] },
  samplers: { life: "cleared", isDivided: true, isUnequal: true },
  changes: { life: "trace" },
  warmStart: { life: "stays" },
  checkpoints: { life: "stays", isFolder: true },
  beginning: { life: "cleared", isFolder: true },
  opponents: { life: "cleared", isFolder: true },
  parts: { life: "cleared", isFolder: true },
};

/** A closed part of a growing file: rows of finished steps. */
export interface TracePart {
  /** Below the run's folder. */
  readonly name: string;
  /** Steps of its rows. */
  readonly first: number;
  readonly last: number;
  /** Members of gzip, each of about a megabyte of whole rows; else plain rows, which a kill left. */
  readonly isPacked: boolean;
}

/** Files in parts. */
export const dividedFiles: readonly string[] = Object.entries(runFileRules).flatMap(([key, { isDivided = false }]) =>
  isDivided ? [runFiles[key as keyof typeof runFiles]] : [],
);

const digits = 9;

function stemOf(file: string): string {
  return file.slice(0, file.indexOf("."));
}

/** Name of a part below the run's folder. @param isPacked - always true for episodes */
export function tracePartName(file: string, first: number, last: number, isPacked: boolean): string {
  const [from, to] = [first, last].map((step) => String(step).padStart(digits, "0"));
  return `${runFiles.parts}/${stemOf(file)}.${from}-${to}.jsonl${isPacked ? ".gz" : ""}`;
}

/** Parts of a file, oldest first. A packed part replaces a plain one. @param names - files in the folder of parts */
export function tracePartsOf(file: string, names: readonly string[]): TracePart[] {
  if (!dividedFiles.includes(file)) return [];
  const pattern = new RegExp(`^${stemOf(file)}\\.(\\d{${digits}})-(\\d{${digits}})\\.jsonl(\\.gz)?$`, "u");
  const found = new Map<number, TracePart>();
  for (const name of names.toSorted()) {
    const [, first, last, packed] = pattern.exec(name) ?? [];
    if (first === undefined) continue;
    const part = { name: `${runFiles.parts}/${name}`, first: Number(first), last: Number(last) };
    found.set(part.last, { ...part, isPacked: packed !== undefined }); // ".gz" is sorted behind
  }
  return [...found.values()].toSorted((a, b) => a.last - b.last);
}
