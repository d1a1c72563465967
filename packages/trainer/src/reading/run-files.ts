import { runFileRules, runFiles, type RunFileRules } from "@laconic/core/run-folder";

export interface TraceNames {
  readonly all: readonly string[];
  /** Files with one row per step. */
  readonly byStep: ReadonlySet<string>;
  /** Wall-clock times, without checksums, so that checkpoints of equal runs are equal. */
  readonly timed: ReadonlySet<string>;
}

/** A resumed run rewrites the rows after its checkpoint. */
export const traceNames: TraceNames = {
  all: [...namesOf(({ life }) => life === "trace")],
  byStep: new Set(namesOf(({ isByStep = false }) => isByStep)),
  timed: new Set(namesOf(({ isByStep = false, isUnequal = false }) => isByStep && isUnequal)),
};

/** Files of a run without steps. The configuration comes first, because it marks a run. */
export const clearedNames: readonly string[] = [...namesOf(({ life }) => life === "cleared" || life === "trace")];

/**
 * Files that differ between equal runs: clock, machine, and derived data. Other files of synchronous runs are
 * identical, even after interruptions.
 */
export const unequalFiles: readonly string[] = [
  ...namesOf(({ isUnequal = false }) => isUnequal),
  "tensorboard",
  "report.html",
];

export const checkedNames: Readonly<Record<"files" | "objects" | "ends" | "rows", readonly string[]>> = {
  files: namesOf(({ isFolder = false }) => !isFolder),
  objects: namesOf(({ checks = [] }) => checks.includes("object")),
  /** Checked for a half-written last row. */
  ends: [...namesOf(({ checks = [] }) => checks.includes("end"))],
  rows: namesOf(({ checks = [] }) => checks.includes("rows")),
};

function namesOf(isMeant: (rules: RunFileRules) => boolean): string[] {
  return Object.entries(runFileRules).flatMap(([key, rules]) =>
    isMeant(rules) ? [runFiles[key as keyof typeof runFiles]] : [],
  );
}
