import { formatPercent } from "@laconic/core/text";
import type { Evaluation } from "./evaluate.ts";

/** What of an evaluation is compared. */
type Compared = Pick<Evaluation, "accuracy" | "problems" | "silence">;

/** Of a normal distribution, one-sided 1 %. */
const clearly = 2.326;

/** Share of silent turns from which an agent says nothing. */
const mute = 0.9;

/**
 * How a team has clearly got worse on the same held-out problems, in words that need no statistics; null where it has not.
 * Either fewer answers are right than chance explains (two-proportion z-test, 1 %), or agents that spoke have fallen silent
 * (nine turns in ten) and accuracy has not risen for it.
 */
export function regressionOf(before: Compared, now: Compared): string | null {
  const reasons: string[] = [];
  if (isClearlyLower(before, now))
    reasons.push(
      `the team solves clearly less than before training (${formatPercent(before.accuracy)} -> ${formatPercent(now.accuracy)} of held-out problems)`,
    );
  const muted = Object.entries(now.silence)
    .filter(([agent, rate]) => rate >= mute && (before.silence[agent] ?? 1) < mute / 2)
    .map(([agent]) => agent);
  if (muted.length > 0 && now.accuracy < before.accuracy)
    reasons.push(
      `${muted.join(", ")} ${muted.length === 1 ? "says" : "say"} almost nothing any more, and fewer problems are solved (${formatPercent(before.accuracy)} -> ${formatPercent(now.accuracy)})`,
    );
  if (reasons.length === 0) return null;
  return `${reasons.join("; ")}: training does harm here. Lower the price of words (budget.maxPrice, budget.learningRate) or the learning rate, give the budget a guard, and check that the model fits the task`;
}

function isClearlyLower(before: Compared, now: Compared): boolean {
  const n = [before.problems, now.problems] as const;
  const pooled = (before.accuracy * n[0] + now.accuracy * n[1]) / (n[0] + n[1]);
  const deviation = Math.sqrt(pooled * (1 - pooled) * (1 / n[0] + 1 / n[1]));
  return deviation > 0 && (before.accuracy - now.accuracy) / deviation > clearly;
}
