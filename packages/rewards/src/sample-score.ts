/** Score of a sample; missing scores never count as 0. */
export type SampleScore =
  /** 0 to 1. */
  | { readonly status: "scored"; readonly value: number }
  /** The machine failed. */
  | { readonly status: "undecided"; readonly reason: string }
  /** Not a number from 0 to 1. */
  | { readonly status: "invalid"; readonly reason: string }
  /** The scorer threw or timed out. */
  | { readonly status: "error"; readonly reason: string };

/** The machine prevented a score. */
export interface Undecided {
  readonly undecided: string;
}

/** Validates a result. */
export function readScore(given: unknown): SampleScore {
  if (typeof given === "boolean") return { status: "scored", value: Number(given) };
  if (typeof given === "number" && given >= 0 && given <= 1) return { status: "scored", value: given };
  if (typeof given === "object" && given !== null && "undecided" in given)
    return { status: "undecided", reason: String(given.undecided) };
  const found = typeof given === "number" ? String(given) : Object.prototype.toString.call(given);
  return { status: "invalid", reason: `got ${found}, expected a number from 0 to 1` };
}

/** NaN if missing. */
export function scoreValue(score: SampleScore | null): number {
  return score?.status === "scored" ? score.value : Number.NaN;
}

/** Counts by status. */
export type ScoreCounts = Readonly<Record<SampleScore["status"], number>>;

/** Counts samples by status. */
export function countScores(scores: Iterable<SampleScore>): ScoreCounts {
  const counts = { scored: 0, undecided: 0, invalid: 0, error: 0 };
  for (const { status } of scores) counts[status]++;
  return counts;
}

/** Share without a score; 0 without samples. */
export function unscoredShare({ scored, undecided, invalid, error }: ScoreCounts): number {
  const unscored = undecided + invalid + error;
  return unscored === 0 ? 0 : unscored / (scored + unscored);
}
