import type { ScoreCounts } from "@laconic/rewards";
import { describeUnscored, type Evaluation } from "@laconic/trainer";

/** `, 3 left out without a score (3 errors)` behind an evaluation's figures; empty where all have one. */
export function withoutScore({ scoring }: Pick<Evaluation, "scoring">): string {
  const described = scoring ? describeUnscored(scoring) : "";
  return described === "" ? "" : `; left out without a score: ${described}`;
}

/** Answers of all steps by what became of their scores; null for a run from before they were counted. */
export function scoresOf(rows: readonly Readonly<Record<string, number>>[]): ScoreCounts | null {
  if (!rows.some((row) => "scoring/scored" in row)) return null;
  const sum = (name: string): number => rows.reduce((total, row) => total + (row[`scoring/${name}`] ?? 0), 0);
  return { scored: sum("scored"), undecided: sum("undecided"), invalid: sum("invalid"), error: sum("error") };
}
