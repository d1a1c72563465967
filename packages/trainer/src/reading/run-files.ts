import { runFileRules, runFiles, type RunFileRules } from "@laconic/core/run-folder";

export interface TraceNames {
  readonly all: readonly string[];
  /** Files with one row for each step. */
  readonly byStep: ReadonlySet<string>;
  /** Files of wall-clock seconds, which have no checksum, so that checkpoints of equal runs are equal. */
  readonly timed: ReadonlySet<string>;
}

/** A resumed run writes the rows after its checkpoint again. */
export const traceNames: TraceNames = {
  all: [...namesOf(({ life }) => life === "trace")],
  byStep: new Set(namesOf(({ isByStep = false }) => isByStep)),
  timed: new Set(namesOf(({ isByStep = false, isUnequal = false }) => isByStep && isUnequal)),
};

/** Files of a run that ended before its first step; its configuration first, which makes it a run. */
export const clearedNames: readonly string[] = [...namesOf(({ life }) => life === "cleared" || life === "trace")];

/**
 * What of a run folder differs between two equal runs: the clock and the machine, and what is drawn from them. Every other file of a
 * synchronous run has the same bytes, interrupted or not.
 */
export const unequalFiles: readonly string[] = [
  ...namesOf(({ isUnequal = false }) => isUnequal),
  "tensorboard",
  "report.html",
];

export const checkedNames: Readonly<Record<"files" | "objects" | "ends" | "rows", readonly string[]>> = {
  files: namesOf(({ isFolder = false }) => !isFolder),
  objects: namesOf(({ checks = [] }) => checks.includes("object")),
  /** Whose end tells whether a row is half written. */
  ends: [...namesOf(({ checks = [] }) => checks.includes("end"))],
  rows: namesOf(({ checks = [] }) => checks.includes("rows")),
};

function namesOf(isMeant: (rules: RunFileRules) => boolean): string[] {
  return Object.entries(runFileRules).flatMap(([key, rules]) =>
    isMeant(rules) ? [runFiles[key as keyof typeof runFiles]] : [],
  );
}
