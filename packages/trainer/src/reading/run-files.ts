import { runFileRules, runFiles, type RunFileRules } from "@laconic/core/run-folder";

/** Names of files in a run directory whose rows belong to steps. */
export interface TraceNames {
  readonly all: readonly string[];
  /** Those with one row for each step. */
  readonly byStep: ReadonlySet<string>;
  /** Those that hold seconds by the clock: no checkpoint keeps their checksum, so that checkpoints of equal runs are equal. */
  readonly timed: ReadonlySet<string>;
}

/** A resumed run writes the rows after its checkpoint again. */
export const traceNames: TraceNames = {
  all: [...namesOf(({ life }) => life === "trace")],
  byStep: new Set(namesOf(({ isByStep = false }) => isByStep)),
  timed: new Set(namesOf(({ isByStep = false, isUnequal = false }) => isByStep && isUnequal)),
};

/** What a run that came to nothing leaves, and the next one does not want; its configuration first, which makes it a run. */
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

/** What is looked at before a run folder is read. */
export const checkedNames: Readonly<Record<"files" | "objects" | "ends" | "rows", readonly string[]>> = {
  /** Where a folder can be instead. */
  files: namesOf(({ isFolder = false }) => !isFolder),
  objects: namesOf(({ checks = [] }) => checks.includes("object")),
  /** Whose end tells whether a row is half written. */
  ends: [...namesOf(({ checks = [] }) => checks.includes("end"))],
  /** Read whole by who opens a run. */
  rows: namesOf(({ checks = [] }) => checks.includes("rows")),
};

function namesOf(isMeant: (rules: RunFileRules) => boolean): string[] {
  return Object.entries(runFileRules).flatMap(([key, rules]) =>
    isMeant(rules) ? [runFiles[key as keyof typeof runFiles]] : [],
  );
}
