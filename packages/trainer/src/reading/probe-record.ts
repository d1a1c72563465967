import type { Estimate } from "@laconic/core/numeric";

/** Figures of a probe. */
export interface ProbeFigures {
  /** Mean grade, 0..1. */
  readonly accuracy: number;
  /** Mean tokens per episode, with end tokens. */
  readonly tokens: number;
  /** Means of measures; only if every problem has a counterpart. */
  readonly measures?: Readonly<Record<string, number>>;
}

/** Results on one problem family, compared with the run's test problems. */
export interface ProbedFamily {
  readonly family: string;
  readonly change: string;
  /** Number of problems; if paired, only those graded on both sides. */
  readonly problems: number;
  /** Whether problems are paired with test problems and their random numbers. */
  readonly isPaired: boolean;
  readonly base: ProbeFigures;
  readonly probed: ProbeFigures;
  /** Base minus family accuracy, as shares. */
  readonly fall: Estimate;
  /** Accuracy without messages; only for `fresh-reader`. */
  readonly unheard?: number;
}

/** Result of `laconic analyze probe`: `probe.json` in the run folder. */
export interface ProbeRecord {
  readonly version: 1;
  readonly step: number;
  readonly seed: string;
  readonly base: ProbeFigures & { readonly problems: number };
  readonly families: readonly ProbedFamily[];
  readonly skipped: readonly { readonly family: string; readonly reason: string }[];
}
