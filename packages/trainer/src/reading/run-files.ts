import { runFileRules, runFiles, type RunFileRules } from "@laconic/core/run-folder";

/** A resumed run rewrites the rows after its checkpoint. */
export const traceNames: Readonly<Record<"all", readonly string[]> & Record<"byStep" | "timed", ReadonlySet<string>>> =
  {
    all: namesOf(({ life }) => life === "trace"),
    byStep: new Set(namesOf(({ isByStep = false }) => isByStep)),
    /** Wall-clock times, without checksums, so that checkpoints of equal runs are equal. */
    timed: new Set(namesOf(({ isByStep = false, isUnequal = false }) => isByStep && isUnequal)),
  };

/** Files of a run without steps. The configuration comes first, because it marks a run. */
export const clearedNames: readonly string[] = namesOf(({ life }) => life === "cleared" || life === "trace");

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
  ends: namesOf(({ checks = [] }) => checks.includes("end")),
  rows: namesOf(({ checks = [] }) => checks.includes("rows")),
};

function namesOf(isMeant: (rules: RunFileRules) => boolean): string[] {
  return Object.entries(runFileRules).flatMap(([key, rules]) =>
    isMeant(rules) ? [runFiles[key as keyof typeof runFiles]] : [],
  );
}
