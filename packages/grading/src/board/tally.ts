import { wilsonInterval } from "@laconic/core";
import type { CaseVerdict } from "../grade-case.ts";
import type { GradedCase } from "../graded-case.ts";

/** A case and what was said of it. */
export interface Judged {
  readonly item: GradedCase;
  readonly verdict: CaseVerdict;
}

/** How often verdicts are as labelled. */
export interface Tally {
  readonly pairs: number;
  readonly agree: number;
  /** Labels that say wrong. */
  readonly wrong: number;
  readonly falseAccepts: number;
  readonly falseRejects: number;
}

/** A share with its interval at 95 % (Wilson). */
export interface Share {
  readonly count: number;
  readonly of: number;
  readonly share: number;
  readonly interval: readonly [low: number, high: number];
}

/** Verdicts beside labels; what has no label, or no verdict, is left out. */
export function tallyOf(judged: readonly Judged[]): Tally {
  let pairs = 0;
  let agree = 0;
  let wrong = 0;
  let falseAccepts = 0;
  let falseRejects = 0;
  for (const { item, verdict } of judged) {
    if (typeof item.verdict !== "boolean" || verdict.correct === null) continue;
    pairs++;
    if (!item.verdict) wrong++;
    if (item.verdict === verdict.correct) agree++;
    else if (verdict.correct) falseAccepts++;
    else falseRejects++;
  }
  return { pairs, agree, wrong, falseAccepts, falseRejects };
}

/** Tallies by what `keysOf` names, in the order of the names. */
export function talliesBy(
  judged: readonly Judged[],
  keysOf: (item: GradedCase) => readonly string[],
): readonly (readonly [key: string, tally: Tally])[] {
  const groups = new Map<string, Judged[]>();
  for (const each of judged)
    for (const key of keysOf(each.item)) {
      const group = groups.get(key) ?? [];
      group.push(each);
      groups.set(key, group);
    }
  return [...groups].map(([key, group]) => [key, tallyOf(group)] as const).toSorted(([a], [b]) => a.localeCompare(b));
}

/** Cases whose verdict is not their label. */
export function disagreementsOf(judged: readonly Judged[]): readonly Judged[] {
  return judged.filter(
    ({ item, verdict }) =>
      typeof item.verdict === "boolean" && verdict.correct !== null && item.verdict !== verdict.correct,
  );
}

/** With its interval at 95 %; 0 of nothing. */
export function shareOf(count: number, of: number): Share {
  return { count, of, share: of === 0 ? 0 : count / of, interval: wilsonInterval(count, of) };
}
