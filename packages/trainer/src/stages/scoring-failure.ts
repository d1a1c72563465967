import { LaconicError } from "@laconic/core";
import { countScores, unscoredShare, type SampleScore, type ScoreCounts } from "@laconic/rewards";
import type { ScoringSettings } from "../settings/config.ts";

export interface ScoringReport {
  readonly counts: ScoreCounts;
  readonly reason: string | null;
}

/** @param scores - null if there was nothing to score */
export function scoringReport(scores: Iterable<SampleScore | null | undefined>): ScoringReport {
  const asked = [...scores].filter((score) => score !== null && score !== undefined);
  const failed = asked.find((score) => score.status !== "scored");
  return { counts: countScores(asked), reason: failed?.reason ?? null };
}

/** Formats counts as `3 undecided, 1 invalid, 2 errors`. */
export function describeUnscored({ undecided, invalid, error }: ScoreCounts): string {
  const parts = [
    undecided > 0 ? `${undecided} undecided by the machine` : "",
    invalid > 0 ? `${invalid} invalid` : "",
    error > 0 ? `${error} ${error === 1 ? "error" : "errors"}` : "",
  ];
  return parts.filter((part) => part !== "").join(", ");
}

/** Error for too few scores, or null. @param where - describes the samples */
export function scoringFailure(
  { counts, reason }: ScoringReport,
  { mostUnscored }: Pick<ScoringSettings, "mostUnscored">,
  where: string,
): LaconicError | null {
  if (unscoredShare(counts) <= mostUnscored) return null;
  const { scored, undecided, invalid, error } = counts;
  const all = scored + undecided + invalid + error;
  return new LaconicError(
    "scoring_failed",
    `${where}: ${all - scored} of ${all} samples got no score (${describeUnscored(counts)}); for example: ${reason}. ` +
      `Fix the grader or judge, then resume the run; scoring.mostUnscored is ${mostUnscored}`,
    { value: "reward", place: where, scored, undecided, invalid, error, mostUnscored },
  );
}
