/** Score of a sample. Only `scored` has a value; other states are counted separately, never as 0. */
export type SampleScore =
  /** 0 to 1. */
  | { readonly status: "scored"; readonly value: number }
  /** The machine prevented a verdict: a sandbox that did not start, too little memory. */
  | { readonly status: "undecided"; readonly reason: string }
  /** An invalid score: NaN, infinity, out of range, not a number. */
  | { readonly status: "invalid"; readonly reason: string }
  /** The scorer threw or timed out. */
  | { readonly status: "error"; readonly reason: string };

/** Result of a scorer if the machine prevented a score. */
export interface Undecided {
  readonly undecided: string;
}

/** Reads what a scorer gave. */
export function readScore(given: unknown): SampleScore {
  if (typeof given === "boolean") return { status: "scored", value: Number(given) };
  if (typeof given === "number" && given >= 0 && given <= 1) return { status: "scored", value: given };
  if (typeof given === "object" && given !== null && "undecided" in given)
    return { status: "undecided", reason: String(given.undecided) };
  // For example `[object Promise]`: something that was not awaited.
  const found = typeof given === "number" ? String(given) : Object.prototype.toString.call(given);
  return { status: "invalid", reason: `got ${found}, expected a number from 0 to 1` };
}

/** A score as a number; NaN without one. */
export function scoreValue(score: SampleScore | null): number {
  return score?.status === "scored" ? score.value : Number.NaN;
}

/** Samples by what became of their scoring. */
export type ScoreCounts = Readonly<Record<SampleScore["status"], number>>;

/** Counts samples by the status of their score. */
export function countScores(scores: Iterable<SampleScore>): ScoreCounts {
  const counts = { scored: 0, undecided: 0, invalid: 0, error: 0 };
  for (const { status } of scores) counts[status]++;
  return counts;
}

/** Share of samples without a score; 0 of none. */
export function unscoredShare({ scored, undecided, invalid, error }: ScoreCounts): number {
  const unscored = undecided + invalid + error;
  return unscored === 0 ? 0 : unscored / (scored + unscored);
}
