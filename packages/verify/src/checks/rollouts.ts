import type { StoredRollout } from "@laconic/core/run-folder";
import type { Findings, Place } from "../findings.ts";
import type { StepRecord } from "../folder/record.ts";
import type { Played } from "../played.ts";
import { isObject, type Json } from "../rules/closed-set.ts";
import { total, type Numbers } from "../rules/numbers.ts";
import { firstPrice, nextPrice, usedOf, type PriceState, costsOf, gradeOf, termsOf } from "../rules/rewards.ts";
import { covers, type TrainSettings } from "../rules/settings.ts";
import { checkEpisode, checkGrade, type RecordRules } from "./episodes.ts";

export interface Rollout {
  readonly number: number;
  readonly row: StoredRollout;
  readonly episode: Played;
  readonly place: Place;
}

export function checkRollouts(rules: RecordRules, train: TrainSettings, record: StepRecord): Rollout[] {
  const { step, played, trees, problems } = record;
  const rollouts = played.map(({ episode, problem }, number): Rollout => {
    const location = { step, episode: number, problem: problem.id };
    const { score } = episode;
    checkEpisode(rules, location, episode, problem);
    checkGrade(rules, location, episode, problem, {
      score: gradeOf(episode),
      "term task": score?.reward?.team["task"],
    });
    return { number, row: record.rollouts[number]!, episode, place: location };
  });
  // Trees end early.
  if (!trees) {
    const sizes = problems.map((_, group) => rollouts.filter(({ row }) => row.group === group).length);
    const expected = [train.problemsPerStep, problems.map(() => train.episodesPerProblem)];
    rules.findings.at("batch", { step }).same("problems, and episodes of each", expected, [problems.length, sizes]);
  }
  checkRewards(rules.findings, train, record, rollouts);
  return rollouts;
}

/** Checks Eq. 1: units of each cost, terms at the recorded prices, and the sum. */
function checkRewards(findings: Findings, train: TrainSettings, step: StepRecord, rollouts: readonly Rollout[]): void {
  const isCovered = covers(findings, "rewards", train);
  for (const { row, episode, place } of rollouts) {
    const reward = findings.at("reward", place);
    if (isCovered) {
      compareAll(reward, "cost", costsOf(train, episode), row.costs);
      compareAll(reward, "term", termsOf(episode, row.costs as Numbers, step.prices), row.terms);
    }
    reward.number("reward", total(Object.values(row.terms).map((term) => term ?? Number.NaN)), row.reward);
  }
  for (const [policy, { prices, rewards }] of Object.entries(step.policies))
    if (rewards) findings.leaveOut(`train.policies.${policy} with prices`, "its rewards and prices");
    else findings.at("price", { step: step.step, policy }).same("prices", step.prices, prices);
}

/** Includes names that one side lacks. */
function compareAll(comparisons: ReturnType<Findings["at"]>, what: string, expected: Numbers, match: Json): void {
  for (const name of new Set([...Object.keys(expected), ...Object.keys(match)]))
    comparisons.number(`${what} ${name}`, expected[name] ?? Number.NaN, match[name]);
}

/** Checks prices by Eq. 5 over all steps, from the first. */
export class PriceChain {
  #states: Readonly<Record<string, PriceState>> = {};
  #last = 0;

  step(
    findings: Findings,
    train: TrainSettings,
    { step, prices }: StepRecord,
    rollouts: readonly Rollout[],
    retained: unknown,
  ): void {
    if (!covers(findings, "prices", train)) return;
    if (step !== this.#last + 1) return findings.leaveOut("prices", "the steps before are not recorded or not covered");
    this.#last = step;
    const comparisons = findings.at("price", { step });
    const expected: Record<string, number> = { tokens: 0, ...train.prices };
    const played = rollouts.map(({ episode, row }) => ({ episode, costs: row.costs as Numbers }));
    const budgets = Object.entries({ ...(train.budget && { tokens: train.budget }), ...train.budgets });
    // A budget that is removed and set again restarts.
    this.#states = Object.fromEntries(
      budgets.map(([cost, budget]) => {
        const state = this.#states[cost] ?? firstPrice(budget);
        expected[cost] = state.price;
        return [cost, nextPrice(budget, state, usedOf(cost, played))];
      }),
    );
    compareAll(comparisons, "λ of", expected, prices);
    if (!isObject(retained)) return;
    comparisons.same(
      "checkpoint's budgets",
      budgets.map(([cost]) => cost).toSorted(),
      Object.keys(retained).toSorted(),
    );
    for (const [cost, state] of Object.entries(this.#states))
      for (const key of ["iteration", "price", "integral"] as const)
        comparisons.number(
          `checkpoint's ${key} of ${cost}`,
          state[key],
          isObject(retained[cost]) ? retained[cost][key] : null,
        );
  }
}
