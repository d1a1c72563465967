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

export function readScore(input: unknown): SampleScore {
  if (typeof input === "boolean") return { status: "scored", value: Number(input) };
  if (typeof input === "number" && input >= 0 && input <= 1) return { status: "scored", value: input };
  if (typeof input === "object" && input !== null && "undecided" in input)
    return { status: "undecided", reason: String(input.undecided) };
  const match = typeof input === "number" ? String(input) : Object.prototype.toString.call(input);
  return { status: "invalid", reason: `got ${match}, expected a number from 0 to 1` };
}

/** NaN if missing. */
export function scoreValue(score: SampleScore | null): number {
  return score?.status === "scored" ? score.value : NaN;
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
