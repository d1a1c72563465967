import type { StoredRollout } from "@laconic/core/run-folder";
import type { Findings, Place } from "../findings.ts";
import type { Played, StepRecord } from "../folder/record.ts";
import type { KeptCheckpoint } from "../folder/run-folder.ts";
import { isObject } from "../rules/closed-set.ts";
import { total, type Numbers } from "../rules/numbers.ts";
import { firstPrice, nextPrice, usedOf, type PriceFacts, type PriceState } from "../rules/prices.ts";
import { costsOf, termsOf } from "../rules/rewards.ts";
import { unknownSetting, type BudgetSettings, type TrainSettings } from "../rules/settings.ts";
import { checkEpisode, checkScore, type EpisodeRules } from "./episodes.ts";

/** A training episode with its recorded reward. */
export interface Rollout {
  /** Position among those of its step. */
  readonly number: number;
  readonly row: StoredRollout;
  readonly episode: Played;
  readonly place: Place;
}

/** The episodes of a step: tokens, texts, grades, groups, and Eq. 1. */
export function checkRollouts(rules: EpisodeRules, train: TrainSettings, step: StepRecord): Rollout[] {
  const { findings } = rules;
  const rollouts = step.rollouts.map((row, number): Rollout => {
    const episode = step.episodes[row.episode] as Played;
    return { number, row, episode, place: { step: step.step, episode: number, problem: episode.problemId } };
  });
  findings.number("ledger", { step: step.step }, "log-probs without a token", 0, step.surplusLogProbs);
  for (const { row, episode, place } of rollouts) {
    const problem = step.problems[row.group] ?? null;
    checkEpisode(rules, place, episode, problem);
    checkScore(rules, place, episode, problem);
  }
  checkGroups(findings, train, step);
  checkRewards(findings, train, step, rollouts);
  return rollouts;
}

/** As many problems and episodes as the settings say; trees end early, and queues cut groups. */
function checkGroups(findings: Findings, train: TrainSettings, { step, trees, problems, rollouts }: StepRecord): void {
  if (trees || train.asynchronous?.["cutStragglers"]) return;
  const sizes = problems.map((_, group) => rollouts.filter((rollout) => rollout.group === group).length);
  const expected = new Array<number>(train.problemsPerStep).fill(train.episodesPerProblem);
  findings.same("batch", { step }, "episodes of each problem", expected, sizes);
  const numbers = rollouts.map(({ episode }) => episode);
  findings.number("batch", { step }, "different episodes", numbers.length, new Set(numbers).size);
}

/** Eq. 1: units of each cost, terms at the recorded prices, and their sum. */
function checkRewards(findings: Findings, train: TrainSettings, step: StepRecord, rollouts: readonly Rollout[]): void {
  const unknown = unknownSetting("rewards", train);
  if (unknown !== null) findings.leaveOut(unknown, "rewards");
  for (const { row, episode, place } of rollouts) {
    const costs = costsOf(train, episode);
    const expected = { costs, terms: termsOf(episode, row.costs as Numbers, step.prices) };
    for (const kind of unknown === null ? (["costs", "terms"] as const) : [])
      for (const name of new Set([...Object.keys(expected[kind]), ...Object.keys(row[kind])]))
        findings.number("reward", place, `${kind}: ${name}`, expected[kind][name] ?? Number.NaN, row[kind][name]);
    const sum = total(Object.values(row.terms).map((term) => term ?? Number.NaN));
    findings.number("reward", place, "reward", sum, row.reward);
  }
  for (const [policy, { prices, rewards }] of Object.entries(step.policies))
    if (rewards) findings.leaveOut(`train.policies.${policy} with prices`, "its rewards and prices");
    else findings.same("price", { step: step.step, policy }, "prices", step.prices, prices);
}

/** A budget after a step. */
export interface PriceReport {
  readonly next: PriceState;
  readonly facts: PriceFacts;
}

/** Prices from step to step, by Eq. 5 from the first step on. */
export class PriceChain {
  #states: Readonly<Record<string, PriceState>> = {};

  /** λ of the step against Eq. 5 on the steps before. @returns each budget after it; null where prices are not covered */
  step(
    findings: Findings,
    train: TrainSettings,
    { step, prices }: StepRecord,
    rollouts: readonly Rollout[],
  ): Readonly<Record<string, PriceReport>> | null {
    const unknown = unknownSetting("prices", train);
    if (unknown !== null) {
      findings.leaveOut(unknown, "prices");
      return null;
    }
    const budgets: Readonly<Record<string, BudgetSettings>> = {
      ...(train.budget && { tokens: train.budget }),
      ...train.budgets,
    };
    const expected: Record<string, number> = { tokens: 0, ...train.prices };
    const played = rollouts.map(({ episode, row }) => ({ episode, costs: row.costs as Numbers }));
    const reports = Object.entries(budgets).map(([cost, budget]) => {
      const state = this.#states[cost] ?? firstPrice(budget);
      expected[cost] = state.price;
      return [cost, nextPrice(budget, state, usedOf(cost, played))] as const;
    });
    // A budget that is taken away starts anew when it is set again.
    this.#states = Object.fromEntries(reports.map(([cost, { next }]) => [cost, next]));
    for (const name of new Set([...Object.keys(expected), ...Object.keys(prices)]))
      findings.number("price", { step }, `λ of ${name}`, expected[name] ?? Number.NaN, prices[name]);
    return Object.fromEntries(reports);
  }
}

/** Prices from which a checkpoint continues. */
export function checkKeptPrices(
  findings: Findings,
  { step, state }: KeptCheckpoint,
  reports: Readonly<Record<string, PriceReport>>,
): void {
  const kept = isObject(state["budgets"]) ? state["budgets"] : {};
  findings.same(
    "price",
    { step },
    "checkpoint's budgets",
    Object.keys(reports).toSorted(),
    Object.keys(kept).toSorted(),
  );
  for (const [cost, { next }] of Object.entries(reports)) {
    const found = isObject(kept[cost]) ? kept[cost] : {};
    for (const key of ["iteration", "price", "integral"] as const)
      findings.number("price", { step }, `checkpoint's ${key} of ${cost}`, next[key], found[key]);
  }
}
