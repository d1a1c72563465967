import { agentErrorWarning } from "./agent-errors.ts";
import type { RecordedEpisode } from "@laconic/core/run-folder";
import type { Evaluation, Measured } from "./evaluate.ts";
import { formatPercent } from "@laconic/core/text";
import type { Language } from "./language.ts";

/** Warns of evaluations without problems, with agents' errors, or with all replies cut. */
export function evaluationWarnings(
  { problems, accuracy }: Evaluation,
  episodes: readonly Pick<RecordedEpisode, "episode">[],
): string[] {
  if (problems === 0) return ["the evaluation has no problems and no accuracy: add validation problems to the task"];
  const replies = episodes.flatMap(({ episode }) => episode.utterances).filter(({ silent }) => !silent);
  const areCut = replies.length > 0 && accuracy < 0.5 && replies.every(({ finishReason }) => finishReason === "length");
  return [
    agentErrorWarning(episodes.map(({ episode }) => episode)) ?? [],
    areCut
      ? "all replies of an evaluation were cut, and most answers are wrong: raise the agents' maxTokens or limits"
      : [],
  ].flat();
}

type Compared = Pick<Evaluation, "accuracy" | "problems" | "silence">;

/** One-sided 1 % normal quantile. */
const clearly = 2.326;

/** Share of silent turns of a silent agent. */
const mute = 0.9;

/**
 * Describes a regression on the same problems, or null: fewer right answers than chance explains (two-proportion
 * z-test, 1 %), or newly silent agents (90 % of turns) without a gain in accuracy.
 */
export function regressionOf(before: Compared, now: Compared): string | null {
  const reasons: string[] = [];
  if (-(riseOf(before, now) ?? 0) > clearly)
    reasons.push(
      `the team solves clearly less than before training (${formatPercent(before.accuracy)} -> ${formatPercent(now.accuracy)} of validation problems)`,
    );
  const muted = Object.entries(now.silence)
    .filter(([agent, rate]) => rate >= mute && (before.silence[agent] ?? 1) < mute / 2)
    .map(([agent]) => agent);
  if (muted.length > 0 && now.accuracy < before.accuracy)
    reasons.push(
      `${muted.join(", ")} ${muted.length === 1 ? "says" : "say"} almost nothing now, and fewer problems are solved (${formatPercent(before.accuracy)} -> ${formatPercent(now.accuracy)})`,
    );
  if (reasons.length === 0) return null;
  return `${reasons.join("; ")}: training is harmful here. Lower the price of words (budget.maxPrice, budget.learningRate) or the learning rate, give the budget a guard, and check that the model fits the task`;
}

/** Rise of accuracy in standard deviations (two-proportion z-test); null if the deviation is 0. */
function riseOf(before: Compared, now: Compared): number | null {
  const n = [before.problems, now.problems] as const;
  const pooled = (before.accuracy * n[0] + now.accuracy * n[1]) / (n[0] + n[1]);
  const deviation = Math.sqrt(pooled * (1 - pooled) * (1 / n[0] + 1 / n[1]));
  return deviation > 0 ? (now.accuracy - before.accuracy) / deviation : null;
}

/** Little is left to learn above this accuracy. */
const nearlyAll = 0.95;

/** Min problems to detect small rises. */
const enoughProblems = 100;

/** Tokens relative to those before training; the team has learned brevity below this ratio. */
const asManyTokens = 0.95;

interface Ending {
  readonly before: Evaluation;
  readonly previous: Evaluation;
  readonly last: Evaluation;
  readonly isPriced: boolean;
  /** Last step's share of groups with equal rewards. */
  readonly equalGroups: number;
}

/**
 * Explains insufficient learning, with advice: accuracy did not rise (two-proportion z-test, 1 %) and priced tokens did
 * not fall, or accuracy was still rising at the end. Otherwise null.
 */
export function unlearnedOf({ before, previous, last, isPriced, equalGroups }: Ending): string | null {
  const rise = riseOf(before, last);
  if (rise === null || last.problems < enoughProblems || Math.abs(rise) > clearly) return stillRising(previous, last);
  if (before.accuracy > nearlyAll || (isPriced && last.tokens < asManyTokens * before.tokens)) return null;
  const advice =
    equalGroups > 0.5
      ? `in ${formatPercent(equalGroups)} of the last step's groups the rewards are equal, so a step teaches little: raise train.steps, episodesPerProblem or sampling.temperature`
      : "groups have different rewards, so there is something to learn: raise train.steps or optimizer.learningRate.peak";
  return `the team solves no more problems than before training, within chance (${formatPercent(before.accuracy)} -> ${formatPercent(last.accuracy)} of ${last.problems} validation problems); ${advice}`;
}

function stillRising(previous: Evaluation, last: Evaluation): string | null {
  if (previous.step === 0 || (riseOf(previous, last) ?? 0) <= clearly) return null;
  return `accuracy was still rising when the training ended (${formatPercent(previous.accuracy)} at step ${previous.step} -> ${formatPercent(last.accuracy)}): raise train.steps`;
}

/** Reward measure: share of informed agents that are silent. */
const knowing = "holder_silent";

/** Ordinary training of the story tellers stays below all of these. */
const limits = {
  repetition: 0.3,
  vocabulary: 0.4,
  perplexity: 4,
  strange: 20,
  silent: 0.5,
  template: 0.5,
  entropy: 0.5,
} as const;

/**
 * Describes a language collapse on the same problems, or null: repetition, few different words, text improbable under
 * the first policy, or silent informed agents.
 */
export function collapseOf(before: Measured, now: Measured): string | null {
  const reasons = Object.entries(now.language ?? {}).flatMap(([agent, language]) => {
    const first = before.language?.[agent];
    return first ? ofAgent(agent, first, language) : [];
  });
  const [spoke, silent] = [before.measures?.[knowing] ?? 1, now.measures?.[knowing] ?? 0];
  if (silent >= limits.silent && spoke < limits.silent / 2)
    reasons.push(
      `the agent with the requested fact is silent in ${formatPercent(silent)} of the episodes (${formatPercent(spoke)} before training)`,
    );
  if (reasons.length === 0) return null;
  return `${reasons.join("; ")}: the language collapses. Raise objective.kl.coefficient, lower the learning rate or the price of words`;
}

function ofAgent(agent: string, first: Language, now: Language): string[] {
  const reasons: string[] = [];
  if (now.repetition >= limits.repetition && now.repetition > 2 * first.repetition)
    reasons.push(`${agent} repeats itself (${formatPercent(now.repetition)} of its word pairs repeat within a text)`);
  // Brevity cannot cause a fall: shorter texts have a larger share of different words.
  if (now.vocabulary > 0 && now.vocabulary < limits.vocabulary * first.vocabulary)
    reasons.push(
      `${agent} uses few words (${formatPercent(now.vocabulary)} of its words are distinct, ${formatPercent(first.vocabulary)} before)`,
    );
  const [share, bits] = [now.commonestTemplate ?? 0, now.templateEntropy ?? 0];
  const [shareBefore, bitsBefore] = [first.commonestTemplate ?? share, first.templateEntropy ?? bits];
  if (share >= limits.template && bits < limits.entropy * bitsBefore)
    reasons.push(
      `${agent} says ${formatPercent(share)} of its texts by one template, without names and copied words (${formatPercent(shareBefore)} before; ${bits.toFixed(1)} bits of templates, were ${bitsBefore.toFixed(1)})`,
    );
  if (now.perplexity > limits.strange && now.perplexity > limits.perplexity * first.perplexity)
    reasons.push(
      `${agent} writes its own code (perplexity ${now.perplexity.toFixed(1)} under the first policy, ${first.perplexity.toFixed(1)} before)`,
    );
  return reasons;
}
