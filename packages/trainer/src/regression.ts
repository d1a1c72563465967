import { formatPercent } from "@laconic/core/text";
import type { Evaluation } from "./evaluate.ts";

/** What of an evaluation is compared. */
type Compared = Pick<Evaluation, "accuracy" | "problems" | "silence">;

/** Of a normal distribution, one-sided 1 %. */
const clearly = 2.326;

/** Share of silent turns from which an agent says nothing. */
const mute = 0.9;

/**
 * How a team has clearly got worse on the same validation problems, in words that need no statistics; null where it has not.
 * Either fewer answers are right than chance explains (two-proportion z-test, 1 %), or agents that spoke have fallen silent
 * (nine turns in ten) and accuracy has not risen for it.
 */
export function regressionOf(before: Compared, now: Compared): string | null {
  const reasons: string[] = [];
  if (isClearlyLower(before, now))
    reasons.push(
      `the team solves clearly less than before training (${formatPercent(before.accuracy)} -> ${formatPercent(now.accuracy)} of validation problems)`,
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
  return -(riseOf(before, now) ?? 0) > clearly;
}

/** How far accuracy has risen, in standard deviations of chance (two-proportion z-test); null where chance has none. */
function riseOf(before: Compared, now: Compared): number | null {
  const n = [before.problems, now.problems] as const;
  const pooled = (before.accuracy * n[0] + now.accuracy * n[1]) / (n[0] + n[1]);
  const deviation = Math.sqrt(pooled * (1 - pooled) * (1 / n[0] + 1 / n[1]));
  return deviation > 0 ? (now.accuracy - before.accuracy) / deviation : null;
}

/** Of a team that solves more problems than this, hardly any are left to learn. */
const nearlyAll = 0.95;

/** Fewer problems show only a rise that nobody would overlook. */
const enoughProblems = 100;

/** Share of the tokens before training; with fewer, the team has learned to be brief. */
const asManyTokens = 0.95;

interface Ending {
  /** The evaluations before the first step, before the last one, and the last one. */
  readonly before: Evaluation;
  readonly previous: Evaluation;
  readonly last: Evaluation;
  /** Whether the reward charges for tokens. */
  readonly isPriced: boolean;
  /** Share of the last step's groups whose rewards are all equal. */
  readonly equalGroups: number;
}

/**
 * Why a run that ends may not have learned what it could, in words with the setting to change: no clear rise of accuracy (two-proportion
 * z-test, 1 %) and no fewer tokens where they have a price, or a clear rise up to the last evaluation. Null where neither is so.
 */
export function unlearnedOf({ before, previous, last, isPriced, equalGroups }: Ending): string | null {
  const rise = riseOf(before, last);
  if (rise === null || last.problems < enoughProblems || Math.abs(rise) > clearly) return stillRising(previous, last);
  if (before.accuracy > nearlyAll || (isPriced && last.tokens < asManyTokens * before.tokens)) return null;
  const advice =
    equalGroups > 0.5
      ? `in ${formatPercent(equalGroups)} of the last step's groups the rewards are equal, so a step teaches little: raise train.steps, episodesPerProblem or sampling.temperature`
      : "groups have different rewards, so there is something to learn: raise train.steps or optimizer.learningRate.peak";
  return `the team solves no more problems than before training, chance aside (${formatPercent(before.accuracy)} -> ${formatPercent(last.accuracy)} of ${last.problems} validation problems); ${advice}`;
}

function stillRising(previous: Evaluation, last: Evaluation): string | null {
  if (previous.step === 0 || (riseOf(previous, last) ?? 0) <= clearly) return null;
  return `accuracy was still rising when the training ended (${formatPercent(previous.accuracy)} at step ${previous.step} -> ${formatPercent(last.accuracy)}): raise train.steps`;
}
