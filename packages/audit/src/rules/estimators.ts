import { meanOf, total, type Numbers } from "./numbers.ts";
import { named, type Known, type SettingsOf } from "./schema.ts";

const options = {
  "scale?": ["none", "group", "batch"],
  "std?": ["sample", "population"],
  "epsilon?": "number",
  "epsilonForm?": ["add", "clamp"],
  "scaled?": "boolean",
  "a?": "number",
  "b?": "number",
  "baseline?": "boolean",
  "discount?": "number",
  "decay?": "number",
  "costs?": ["z-score", "centred"],
  "batch?": ["none", "sequence"],
} as const;

type Options = SettingsOf<typeof options>;

/** An estimator by name with its options. */
export type AdvantageSettings = Options & { readonly estimator: string };

/** A row that an estimator sees: an episode, or one utterance of it. */
export interface Row {
  /** Rows of one baseline share it. */
  readonly group: string;
  readonly agent: string;
  readonly reward: number;
  /** How much of a sample of its group it is. */
  readonly weight: number;
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

/** Mean where each value counts by its weight. */
function meanBy(values: readonly number[], weights: readonly number[]): number {
  return values.length === 0 ? 0 : total(values.map((value, i) => value * (weights[i] as number))) / total(weights);
}

/** Root of the weighted mean square about the mean, over n - 1 (`sample`) or n, which is the sum of the weights. */
function spread(
  values: readonly number[],
  convention: string,
  weights: readonly number[] = values.map(() => 1),
): number {
  const m = meanBy(values, weights);
  const below = convention === "sample" ? total(weights) - 1 : total(weights);
  const squares = values.map((value, i) => (weights[i] as number) * (value - m) * (value - m));
  return Math.sqrt(total(squares) / Math.max(1, below));
}

/** One sample, whose weights sum to 1. */
const isAlone = (weights: readonly number[]): boolean => total(weights) < 1.5;

const range = (values: readonly number[]): number => Math.max(...values) - Math.min(...values);

/** Nothing to learn from: fewer than two, or equal but for rounding. */
const flat = (values: readonly number[]): boolean => values.length < 2 || range(values) <= 1e-12;

/** Rows by group, in order of appearance, without those whose reward does not apply. */
function groupsOf(rows: readonly Row[]): number[][] {
  const names = [...new Set(rows.map(({ group }) => group))];
  return names.map((name) => rows.flatMap((row, i) => (row.group === name && !Number.isNaN(row.reward) ? [i] : [])));
}

/** What an estimator is computed from. */
interface Batch {
  readonly rows: readonly Row[];
  readonly prices: Numbers;
  /** Episodes of a lower grade pay no costs. */
  readonly costThreshold: number;
  /** What `running-baseline` keeps by agent. */
  readonly baselines: Map<string, number>;
}

/** Advantages of the rows of a group whose rewards differ; a flat group gets 0. */
type GroupRule = (options: Options, rewards: readonly number[], batch: GroupBatch) => readonly number[];

interface GroupBatch {
  /** Trained tokens of the group's rows. */
  readonly lengths: readonly number[];
  readonly weights: readonly number[];
  /** Rows of the whole batch whose reward applies. */
  readonly applicable: readonly Row[];
}

interface EstimatorRule {
  readonly reads: readonly (keyof Options)[];
  readonly estimate: (options: Options, batch: Batch) => Estimated;
  /** Whether it remembers earlier steps. */
  readonly remembers?: boolean;
}

const orNothing = (value: number): number => (Number.isNaN(value) ? 0 : value);

const byRow =
  (of: (row: Row) => number): EstimatorRule["estimate"] =>
  (_, { rows }) => ({ perRow: rows.map((row) => orNothing(of(row))), metrics: groupMetrics(rows) });

const byGroup =
  (rule: GroupRule): EstimatorRule["estimate"] =>
  (own, { rows }) => {
    const applicable = rows.filter(({ reward }) => !Number.isNaN(reward));
    const perRow = rows.map(() => 0);
    for (const members of groupsOf(rows)) {
      const group = members.map((i) => rows[i] as Row);
      const rewards = group.map(({ reward }) => reward);
      const weights = group.map(({ weight }) => weight);
      if (flat(rewards) || isAlone(weights)) continue;
      const lengths = group.map(({ tokens }) => tokens);
      rule(own, rewards, { lengths, weights, applicable }).forEach(
        (value, i) => (perRow[members[i] as number] = value),
      );
    }
    return { perRow, metrics: groupMetrics(rows) };
  };

/** Every estimator that is computed here; one that is added says which options it reads. */
const estimators: Readonly<Record<string, EstimatorRule>> = {
  raw: { reads: [], estimate: byRow(({ reward }) => reward) },
  remax: { reads: [], estimate: byRow(({ reward, greedyReward }) => reward - greedyReward) },
  // Agent-GSPO Eq. 2, GRPO; Dr.GRPO and MAGRPO without the division.
  group: {
    reads: ["scale", "std", "epsilon", "epsilonForm"],
    estimate: byGroup(
      ({ scale, std = "sample", epsilon = 1e-6, epsilonForm = "add" }, rewards, { weights, applicable }) => {
        const m = meanBy(rewards, weights);
        if (scale === "none") return rewards.map((r) => r - m);
        const [all, counts] = [applicable.map(({ reward }) => reward), applicable.map(({ weight }) => weight)];
        const sigma = scale === "batch" ? spread(all, std, counts) : spread(rewards, std, weights);
        const below = epsilonForm === "add" ? sigma + epsilon : Math.max(sigma, epsilon);
        return rewards.map((r) => (r - m) / below);
      },
    ),
  },
  // r less the mean of the others.
  rloo: {
    reads: [],
    estimate: byGroup((_, rewards, { weights }) => {
      const sum = total(rewards.map((r, i) => r * (weights[i] as number)));
      return rewards.map((r) => r - (sum - r) / (total(weights) - 1));
    }),
  },
  maremax: { reads: [], estimate: byGroup((_, rewards) => rewards.map((r) => r - Math.max(...rewards))) },
  gpg: {
    reads: [],
    estimate: byGroup((_, rewards, { weights, applicable }) => {
      const all = total(applicable.map(({ weight }) => weight));
      const scored = total(applicable.map(({ reward, weight }) => (reward === 0 ? 0 : weight)));
      return rewards.map((r) => ((r - meanBy(rewards, weights)) * all) / Math.max(1, scored));
    }),
  },
  "max-rl": {
    reads: ["epsilon"],
    estimate: byGroup(({ epsilon = 1e-6 }, rewards, { weights }) => {
      const m = meanBy(rewards, weights);
      return rewards.map((r) => (m > 0 ? (r - m) / (m + epsilon) : 0));
    }),
  },
  opo: {
    reads: [],
    estimate: byGroup((_, rewards, { lengths, weights }) => {
      const weighted = total(rewards.map((r, i) => r * (lengths[i] as number)));
      const baseline = total(lengths) > 0 ? weighted / total(lengths) : meanBy(rewards, weights);
      return rewards.map((r) => r - baseline);
    }),
  },
  "pass-at-k": {
    reads: ["scaled"],
    estimate: byGroup(({ scaled = false }, rewards) => {
      const [best = 0, second = 0] = rewards.toSorted((a, b) => b - a);
      const below = scaled ? spread(rewards, "sample") + 1e-6 : 1;
      return rewards.map((_, i) => (i === rewards.indexOf(best) ? (best - second) / below : 0));
    }),
  },
  bnpo: {
    reads: ["a", "b"],
    estimate: byGroup(({ a = Number.NaN, b = Number.NaN }, rewards, { weights }) => {
      const p = meanBy(rewards, weights);
      const density = p ** (a - 1) * (1 - p) ** (b - 1) * (gamma(a + b) / (gamma(a) * gamma(b)));
      return rewards.map((r) => (r - p) / density);
    }),
  },
  "reinforce++": {
    reads: ["baseline", "discount"],
    estimate: (own, { rows }) => ({ perToken: whitened(rows, own), metrics: {} }),
  },
  "running-baseline": {
    reads: ["decay"],
    remembers: true,
    estimate: ({ decay = 0.95 }, { rows, baselines }) => ({
      perRow: rows.map(({ reward, agent, weight }) => {
        if (Number.isNaN(reward)) return 0;
        const baseline = baselines.get(agent) ?? 0;
        baselines.set(agent, baseline + (1 - decay ** weight) * (reward - baseline));
        return reward - baseline;
      }),
      metrics: {},
    }),
  },
  decoupled: { reads: ["costs", "std", "epsilon", "batch"], estimate: decoupled },
};

/** What is known of an estimator's settings. */
export const knownAdvantage: Known = named("estimator", estimators, options);

/** The estimator of the settings; null for one that this audit does not know. */
export function estimatorOf(settings: AdvantageSettings): {
  readonly remembers: boolean;
  readonly estimate: (batch: Batch) => Estimated;
} | null {
  const name = settings.estimator;
  const rule = Object.hasOwn(estimators, name) ? estimators[name] : undefined;
  return rule ? { remembers: rule.remembers ?? false, estimate: (batch) => rule.estimate(settings, batch) } : null;
}

/** Γ by Stirling's series, shifted to where it converges. */
function gamma(x: number): number {
  if (x < 20) return gamma(x + 1) / x;
  const tail = 1 / (12 * x) - 1 / (360 * x ** 3) + 1 / (1260 * x ** 5) - 1 / (1680 * x ** 7);
  return Math.exp((x - 0.5) * Math.log(x) - x + 0.5 * Math.log(2 * Math.PI) + tail);
}

/** REINFORCE++: discounted token returns, whitened over all tokens, 1e-8 under the root. */
function whitened(rows: readonly Row[], { discount = 1, baseline = false }: Options): number[][] {
  const centred = rows.map(({ reward }) => reward);
  if (baseline)
    for (const members of groupsOf(rows)) {
      const rewards = members.map((i) => centred[i] as number);
      const weights = members.map((i) => (rows[i] as Row).weight);
      const m = meanBy(rewards, weights);
      for (const i of members) centred[i] = flat(rewards) || isAlone(weights) ? 0 : (centred[i] as number) - m;
    }
  const returns = rows.map(({ tokens }, i) =>
    Array.from({ length: tokens }, (_, t) => (centred[i] as number) * discount ** (tokens - 1 - t)),
  );
  const all = returns.flat().filter((value) => !Number.isNaN(value));
  if (flat(all)) return returns.map((each) => each.map(() => 0));
  const root = Math.sqrt(spread(all, "sample") ** 2 + 1e-8);
  return returns.map((each) => each.map((value) => (Number.isNaN(value) ? 0 : (value - meanOf(all)) / root)));
}

/** GDPO: every term and every cost normalised apart in its group, costs weighted by their prices, summed. */
function decoupled(
  { std = "sample", epsilon = 1e-4, costs, batch }: Options,
  { rows, prices, costThreshold }: Batch,
): Estimated {
  const same = (values: readonly number[]): boolean =>
    values.length < 2 || range(values) <= 1e-12 * Math.max(...values.map(Math.abs));
  const normal = (values: readonly number[], members: readonly number[], divides: boolean): number[] => {
    if (same(values)) return values.map(() => 0);
    const weights = members.map((i) => (rows[i] as Row).weight);
    const below = divides ? spread(values, std, weights) + epsilon : 1;
    return values.map((value) => (value - meanBy(values, weights)) / below);
  };
  const perRow = rows.map(() => 0);
  const metrics: Record<string, number> = {};
  const names = [...new Set(rows.map(({ group }) => group))];
  const members = names.map((name) => rows.flatMap((row, i) => (row.group === name ? [i] : [])));
  const taskOf = ({ terms }: Row): number => terms["task"] ?? total(Object.values(terms));
  const columns = [
    ...[...new Set(rows.flatMap(({ terms }) => Object.keys(terms)))].map((name) => ({
      name,
      weight: 1,
      divides: true,
      value: (row: Row) => row.terms[name] ?? Number.NaN,
    })),
    ...Object.entries(prices).map(([name, price]) => ({
      name,
      weight: -price,
      divides: costs === "z-score",
      value: (row: Row) => (taskOf(row) >= costThreshold ? (row.costs[name] ?? Number.NaN) : Number.NaN),
    })),
  ];
  for (const { name, weight, divides, value } of columns) {
    const equal: number[] = [];
    for (const group of members) {
      const own = group.filter((i) => !Number.isNaN(value(rows[i] as Row)));
      if (own.length === 0) continue;
      const values = own.map((i) => value(rows[i] as Row));
      equal.push(same(values) ? 1 : 0);
      normal(values, own, divides).forEach((each, k) => (perRow[own[k] as number]! += weight * each));
    }
    metrics[`frac_zero_std/${name}`] = meanOf(equal);
  }
  if (batch === "sequence") {
    const scored = rows.flatMap((row, i) => (Number.isNaN(taskOf(row)) ? [] : [i]));
    normal(
      scored.map((i) => perRow[i] as number),
      scored,
      true,
    ).forEach((each, k) => (perRow[scored[k] as number] = each));
  }
  metrics["groups/size_one"] = members.filter((group) => group.length === 1).length;
  metrics["rewards/not_applicable"] = rows.filter((row) => Number.isNaN(taskOf(row))).length;
  return { perRow, metrics };
}

function groupMetrics(rows: readonly Row[]): Numbers {
  const members = groupsOf(rows);
  const groups = members.map((group) => group.map((i) => (rows[i] as Row).reward));
  const weights = members.map((group) => group.map((i) => (rows[i] as Row).weight));
  const share = (claim: (rewards: readonly number[]) => boolean, of = groups): number =>
    meanOf(of.map((rewards) => (claim(rewards) ? 1 : 0)));
  const graded = groups.filter((rewards) => rewards.length > 0);
  const isOutcome = graded.every((rewards) => rewards.every((r) => r === 0 || r === 1));
  return {
    reward_std: meanOf(groups.map((rewards, i) => spread(rewards, "sample", weights[i]))),
    frac_reward_zero_std: meanOf(groups.map((rewards, i) => (flat(rewards) || isAlone(weights[i] ?? []) ? 1 : 0))),
    "groups/size_one": weights.filter((own) => own.length > 0 && isAlone(own)).length,
    "rewards/not_applicable": rows.filter(({ reward }) => Number.isNaN(reward)).length,
    ...(isOutcome && {
      "by_group/frac_all_good": share((rewards) => rewards.every((r) => r === 1), graded),
      "by_group/frac_all_bad": share((rewards) => rewards.every((r) => r === 0), graded),
      "by_group/frac_mixed": share((rewards) => new Set(rewards).size > 1, graded),
    }),
  };
}
