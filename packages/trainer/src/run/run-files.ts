import { formerRunFiles, runFiles } from "@laconic/core/run-folder";
import type { TraceNames } from "./traces.ts";

/** A resumed run writes the rows after its checkpoint again. */
export const traceNames: TraceNames = {
  all: [
    runFiles.metrics,
    runFiles.timing,
    runFiles.episodes,
    runFiles.evaluations,
    runFiles.dropped,
    runFiles.changes,
    // A run that an earlier version began goes on in the file of this one.
    formerRunFiles.records,
    formerRunFiles.rollouts,
    formerRunFiles.episodes,
  ],
  byStep: new Set([runFiles.metrics, runFiles.timing]),
  timed: new Set([runFiles.timing]),
};

/**
 * What of a run folder differs between two equal runs: the clock and the machine, and what is drawn from them. Every other file of a
 * synchronous run has the same bytes, interrupted or not.
 */
export const unequalFiles: readonly string[] = [runFiles.timing, runFiles.environment, "tensorboard", "report.html"];
