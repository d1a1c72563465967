/** How a team does on some problems. */
export interface ProbeFigures {
  /** Mean grade, 0 to 1. */
  readonly accuracy: number;
  /** Mean tokens written per episode, end tokens included. */
  readonly tokens: number;
}

/** A trained team on the problems of one family, beside the run's own test problems. */
export interface ProbedFamily {
  readonly family: string;
  /** What was changed, in words. */
  readonly change: string;
  /** Those with a grade on both sides where the two are paired. */
  readonly problems: number;
  /** Whether each problem stands beside one test problem, with the same random numbers. */
  readonly isPaired: boolean;
  /** On the test problems that it is compared with. */
  readonly base: ProbeFigures;
  readonly probed: ProbeFigures;
  /** Accuracy of the base less that of the family, and its 95 % interval: shares, not points. */
  readonly fall: { readonly value: number; readonly low: number; readonly high: number };
  /** Of `fresh-reader` alone: accuracy of the same reader without any message. */
  readonly unheard?: number;
}

/** What `laconic probe` found of a run: `probe.json` in its folder. */
export interface ProbeRecord {
  readonly version: 1;
  /** Training step of the team. */
  readonly step: number;
  readonly seed: string;
  /** The team on the run's own test problems. */
  readonly base: ProbeFigures & { readonly problems: number };
  readonly families: readonly ProbedFamily[];
  /** Families that the task cannot have, or this run. */
  readonly skipped: readonly { readonly family: string; readonly reason: string }[];
}
