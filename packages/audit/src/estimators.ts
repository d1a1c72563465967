import { total } from "./costs.ts";
import type { Numbers } from "./rewards.ts";
import type { AdvantageSettings } from "./settings.ts";

/** A row that an estimator sees: an episode, or one utterance of it. */
export interface Row {
  /** Rows of one baseline share it. */
  readonly group: string;
  readonly agent: string;
  readonly reward: number;
  /** Trained tokens. */
  readonly tokens: number;
  /** Terms of the task, without costs. */
  readonly terms: Numbers;
  readonly costs: Numbers;
  readonly greedyReward: number;
}

/** Advantages by row, or for every token of every row; and what the estimator says of its groups. */
export interface Estimated {
  readonly perRow?: readonly number[];
  readonly perToken?: readonly (readonly number[])[];
  readonly metrics: Numbers;
}

const mean = (values: readonly number[]): number => (values.length === 0 ? 0 : total(values) / values.length);

/** Root of the mean square about the mean, over n - 1 (`sample`) or n. */
function spread(values: readonly number[], convention: string): number {
  const m = mean(values);
  const below = convention === "sample" ? values.length - 1 : values.length;
  return Math.sqrt(total(values.map((value) => (value - m) * (value - m))) / Math.max(1, below));
}

const range = (values: readonly number[]): number => Math.max(...values) - Math.min(...values);

/** Nothing to learn from: fewer than two, or equal but for rounding. */
const flat = (values: readonly number[]): boolean => values.length < 2 || range(values) <= 1e-12;

type Rule = (rewards: readonly number[], rows: readonly number[]) => readonly number[];

/** Rows by group, in order of appearance, without those whose reward does not apply. */
function groupsOf(rows: readonly Row[]): number[][] {
  const names = [...new Set(rows.map(({ group }) => group))];
  return names.map((name) => rows.flatMap((row, i) => (row.group === name && !Number.isNaN(row.reward) ? [i] : [])));
}

/** Rules of one number for each row; a flat group gets 0. */
function ruleOf(rows: readonly Row[], settings: AdvantageSettings): Rule | null {
  const given = <T>(key: string, otherwise: T): T => (settings[key] as T | undefined) ?? otherwise;
  const applicable = rows.map(({ reward }) => reward).filter((reward) => !Number.isNaN(reward));
  const rules: Readonly<Record<string, Rule>> = {
    // Agent-GSPO Eq. 2, GRPO; Dr.GRPO and MAGRPO without the division.
    group: (rewards) => {
      const scale = settings["scale"];
      if (scale === "none") return rewards.map((r) => r - mean(rewards));
      const sigma = spread(scale === "batch" ? applicable : rewards, given("std", "sample"));
      const epsilon = given("epsilon", 1e-6);
      const below = given("epsilonForm", "add") === "add" ? sigma + epsilon : Math.max(sigma, epsilon);
      return rewards.map((r) => (r - mean(rewards)) / below);
    },
    // r less the mean of the others.
    rloo: (rewards) => rewards.map((r) => r - (total(rewards) - r) / (rewards.length - 1)),
    maremax: (rewards) => rewards.map((r) => r - Math.max(...rewards)),
    gpg: (rewards) => {
      const scored = applicable.filter((r) => r !== 0).length;
      return rewards.map((r) => ((r - mean(rewards)) * applicable.length) / Math.max(1, scored));
    },
    "max-rl": (rewards) => {
      const m = mean(rewards);
      return rewards.map((r) => (m > 0 ? (r - m) / (m + given("epsilon", 1e-6)) : 0));
    },
    opo: (rewards, members) => {
      const lengths = members.map((i) => (rows[i] as Row).tokens);
      const weighed = total(rewards.map((r, i) => r * (lengths[i] as number)));
      const baseline = total(lengths) > 0 ? weighed / total(lengths) : mean(rewards);
      return rewards.map((r) => r - baseline);
    },
    "pass-at-k": (rewards) => {
      const [best = 0, second = 0] = rewards.toSorted((a, b) => b - a);
      const below = settings["scaled"] === true ? spread(rewards, "sample") + 1e-6 : 1;
      return rewards.map((_, i) => (i === rewards.indexOf(best) ? (best - second) / below : 0));
    },
    bnpo: (rewards) => {
      const [a, b, p] = [Number(settings["a"]), Number(settings["b"]), mean(rewards)];
      const density = p ** (a - 1) * (1 - p) ** (b - 1) * (gamma(a + b) / (gamma(a) * gamma(b)));
      return rewards.map((r) => (r - p) / density);
    },
  };
  return rules[settings.estimator] ?? null;
}

/** Γ by Stirling's series, shifted to where it converges. */
function gamma(x: number): number {
  if (x < 20) return gamma(x + 1) / x;
  const tail = 1 / (12 * x) - 1 / (360 * x ** 3) + 1 / (1260 * x ** 5) - 1 / (1680 * x ** 7);
  return Math.exp((x - 0.5) * Math.log(x) - x + 0.5 * Math.log(2 * Math.PI) + tail);
}

/** @returns null for an estimator that this audit does not know. `memory` is what `running-baseline` keeps by agent. */
export function estimate(
  rows: readonly Row[],
  settings: AdvantageSettings,
  prices: Numbers,
  memory: Map<string, number>,
  costWhenTaskAtLeast: number,
): Estimated | null {
  const orNothing = (value: number): number => (Number.isNaN(value) ? 0 : value);
  if (settings.estimator === "raw")
    return { perRow: rows.map(({ reward }) => orNothing(reward)), metrics: groupMetrics(rows) };
  if (settings.estimator === "remax")
    return { perRow: rows.map((row) => orNothing(row.reward - row.greedyReward)), metrics: groupMetrics(rows) };
  if (settings.estimator === "running-baseline") {
    const decay = (settings["decay"] as number | undefined) ?? 0.95;
    const perRow = rows.map(({ reward, agent }) => {
      if (Number.isNaN(reward)) return 0;
      const baseline = memory.get(agent) ?? 0;
      memory.set(agent, baseline + (1 - decay) * (reward - baseline));
      return reward - baseline;
    });
    return { perRow, metrics: {} };
  }
  if (settings.estimator === "reinforce++") return { perToken: whitened(rows, settings), metrics: {} };
  if (settings.estimator === "decoupled") return decoupled(rows, settings, prices, costWhenTaskAtLeast);
  const rule = ruleOf(rows, settings);
  if (!rule) return null;
  const perRow = rows.map(() => 0);
  for (const members of groupsOf(rows)) {
    const rewards = members.map((i) => (rows[i] as Row).reward);
    if (flat(rewards)) continue;
    rule(rewards, members).forEach((value, i) => (perRow[members[i] as number] = value));
  }
  return { perRow, metrics: groupMetrics(rows) };
}

/** REINFORCE++: discounted token returns, whitened over all tokens, 1e-8 under the root. */
function whitened(rows: readonly Row[], settings: AdvantageSettings): number[][] {
  const discount = (settings["discount"] as number | undefined) ?? 1;
  const centred = rows.map(({ reward }) => reward);
  if (settings["baseline"] === true)
    for (const members of groupsOf(rows)) {
      const rewards = members.map((i) => centred[i] as number);
      for (const i of members) centred[i] = flat(rewards) ? 0 : (centred[i] as number) - mean(rewards);
    }
  const returns = rows.map(({ tokens }, i) =>
    Array.from({ length: tokens }, (_, t) => (centred[i] as number) * discount ** (tokens - 1 - t)),
  );
  const all = returns.flat().filter((value) => !Number.isNaN(value));
  if (flat(all)) return returns.map((each) => each.map(() => 0));
  const root = Math.sqrt(spread(all, "sample") ** 2 + 1e-8);
  return returns.map((each) => each.map((value) => (Number.isNaN(value) ? 0 : (value - mean(all)) / root)));
}

/** GDPO: every term and every cost normalised apart in its group, costs weighted by their prices, summed. */
function decoupled(rows: readonly Row[], settings: AdvantageSettings, prices: Numbers, threshold: number): Estimated {
  const given = <T>(key: string, otherwise: T): T => (settings[key] as T | undefined) ?? otherwise;
  const [std, epsilon] = [given("std", "sample"), given("epsilon", 1e-4)];
  const same = (values: readonly number[]): boolean =>
    values.length < 2 || range(values) <= 1e-12 * Math.max(...values.map(Math.abs));
  const normal = (values: readonly number[], divides: boolean): number[] => {
    if (same(values)) return values.map(() => 0);
    const below = divides ? spread(values, std) + epsilon : 1;
    return values.map((value) => (value - mean(values)) / below);
  };
  const perRow = rows.map(() => 0);
  const metrics: Record<string, number> = {};
  const names = [...new Set(rows.map(({ group }) => group))];
  const members = names.map((name) => rows.flatMap((row, i) => (row.group === name ? [i] : [])));
  const taskOf = ({ terms }: Row): number => terms["task"] ?? total(Object.values(terms));
  const columns = [
    ...Object.keys(rows[0]?.terms ?? {}).map((name) => ({
      name,
      weight: 1,
      divides: true,
      value: (row: Row) => row.terms[name] ?? Number.NaN,
    })),
    ...Object.entries(prices).map(([name, price]) => ({
      name,
      weight: -price,
      divides: settings["costs"] === "z-score",
      value: (row: Row) => (taskOf(row) >= threshold ? (row.costs[name] ?? Number.NaN) : Number.NaN),
    })),
  ];
  for (const { name, weight, divides, value } of columns) {
    const equal: number[] = [];
    for (const group of members) {
      const own = group.filter((i) => !Number.isNaN(value(rows[i] as Row)));
      if (own.length === 0) continue;
      const values = own.map((i) => value(rows[i] as Row));
      equal.push(same(values) ? 1 : 0);
      normal(values, divides).forEach((each, k) => (perRow[own[k] as number]! += weight * each));
    }
    metrics[`frac_zero_std/${name}`] = mean(equal);
  }
  if (settings["batch"] === "sequence") {
    const scored = rows.flatMap((row, i) => (Number.isNaN(taskOf(row)) ? [] : [i]));
    normal(
      scored.map((i) => perRow[i] as number),
      true,
    ).forEach((each, k) => (perRow[scored[k] as number] = each));
  }
  metrics["groups/size_one"] = members.filter((group) => group.length === 1).length;
  metrics["rewards/not_applicable"] = rows.filter((row) => Number.isNaN(taskOf(row))).length;
  return { perRow, metrics };
}

function groupMetrics(rows: readonly Row[]): Numbers {
  const groups = groupsOf(rows).map((members) => members.map((i) => (rows[i] as Row).reward));
  const share = (claim: (rewards: readonly number[]) => boolean, of = groups): number =>
    mean(of.map((rewards) => (claim(rewards) ? 1 : 0)));
  const graded = groups.filter((rewards) => rewards.length > 0);
  const isOutcome = graded.every((rewards) => rewards.every((r) => r === 0 || r === 1));
  return {
    reward_std: mean(groups.map((rewards) => spread(rewards, "sample"))),
    frac_reward_zero_std: share(flat),
    "groups/size_one": groups.filter((rewards) => rewards.length === 1).length,
    "rewards/not_applicable": rows.filter(({ reward }) => Number.isNaN(reward)).length,
    ...(isOutcome && {
      "by_group/frac_all_good": share((rewards) => rewards.every((r) => r === 1), graded),
      "by_group/frac_all_bad": share((rewards) => rewards.every((r) => r === 0), graded),
      "by_group/frac_mixed": share((rewards) => new Set(rewards).size > 1, graded),
    }),
  };
}
