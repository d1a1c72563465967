import type { Utterance } from "@laconic/core";
import type { StoredEpisode } from "@laconic/core/run-folder";
import { total, type Numbers } from "./numbers.ts";
import { ownSaid } from "./opponents.ts";
import { isOwnValue, type Known, type SettingsOf } from "./schema.ts";

const options = {
  targetTokens: "number",
  learningRate: "number",
  "unit?": ["token", "budget"],
  "initialPrice?": "number",
  "maxPrice?": "number",
  "warmupIterations?": "number",
  "warmupPrice?": "number",
  "annealIterations?": "number",
  "antiWindup?": "boolean",
  "truncationTolerance?": "number",
  "proportionalGain?": "number",
  "derivativeGain?": "number",
  "derivativeSmoothing?": "number",
  "guard?": {
    action: ["freeze", "lower"],
    "rewardTolerance?": "number",
    "referenceReward?": "number",
    "maxSilenceRate?": "number",
    "lowerBy?": "number",
  },
} as const;

/** A budget of Eq. 5 as a configuration writes it. */
export type BudgetSettings = SettingsOf<typeof options>;
/** What is known of it: another price law is refused until it is written here. */
export const knownBudget: Known = options;

/** What a budget remembers between steps. */
export interface PriceState {
  readonly iteration: number;
  readonly price: number;
  readonly integral: number;
  readonly smoothed: number | null;
  readonly warmTokens: number;
  readonly warmReward: number;
}

/** What a step says of a budget beside the next price. */
export interface PriceFacts {
  readonly target: number;
  readonly saturated: number;
  readonly held: number;
  readonly guarded: number;
  readonly used: number;
}

/** What a step used of a cost. */
export interface Used {
  readonly units: number;
  readonly task: number;
  readonly silence: number;
  readonly truncated: number;
}

/** @param cost - by name; tokens are those of the ledger where they are no cost */
export function usedOf(
  cost: string,
  rollouts: readonly {
    readonly episode: StoredEpisode<Utterance>;
    readonly own: { readonly task: number; readonly costs: Numbers };
  }[],
): Used {
  const mean = (values: readonly number[]): number => total(values) / values.length;
  const units = rollouts.map(({ episode, own }) => {
    if (cost in own.costs) return own.costs[cost] as number;
    return cost === "tokens" ? total(episode.ledger.calls.map((call) => call.writtenTokens)) : Number.NaN;
  });
  const tasks = rollouts.map(({ own }) => own.task).filter((task) => !Number.isNaN(task));
  const turns = rollouts.flatMap(({ episode }) => ownSaid(episode).utterances);
  const isCut = ({ stopReason, ...episode }: StoredEpisode<Utterance>): boolean =>
    ["truncated", "token_limit"].includes(stopReason) ||
    ownSaid(episode).utterances.some((each) => ["length", "unknown"].includes(each.finishReason));
  return {
    units: mean(units.filter((each) => !Number.isNaN(each))),
    task: tasks.length === 0 ? 0 : mean(tasks),
    silence: turns.length === 0 ? 0 : turns.filter(({ silent }) => silent).length / turns.length,
    truncated: rollouts.filter(({ episode }) => isCut(episode)).length / rollouts.length,
  };
}

/** Prices are kept per token; the law works per budget where the settings say so. */
const perPrice = ({ unit, targetTokens }: BudgetSettings): number => (unit === "budget" ? targetTokens : 1);

export function firstPrice(budget: BudgetSettings): PriceState {
  const { warmupIterations = 0, warmupPrice = 0, initialPrice = 0 } = budget;
  const price = (warmupIterations > 0 ? warmupPrice : initialPrice) / perPrice(budget);
  return { iteration: 0, price, integral: initialPrice, smoothed: null, warmTokens: 0, warmReward: 0 };
}

/**
 * Eq. 5, λ ← max(0, λ + η (mean - B)), with what the settings put around it: warm-up, annealed target, anti-windup, a proportional
 * and a derivative term, the guard.
 */
export function nextPrice(
  budget: BudgetSettings,
  state: PriceState,
  used: Used,
): { readonly state: PriceState; readonly facts: PriceFacts } {
  const { targetTokens: B, warmupIterations = 0, derivativeSmoothing = 0 } = budget;
  const scale = perPrice(budget);
  const smoothed = derivativeSmoothing * (state.smoothed ?? used.units) + (1 - derivativeSmoothing) * used.units;
  const iteration = state.iteration + 1;
  if (state.iteration < warmupIterations) {
    const isLast = iteration === warmupIterations;
    const { initialPrice = 0, warmupPrice = 0 } = budget;
    return {
      state: {
        iteration,
        smoothed,
        integral: initialPrice,
        price: (isLast ? initialPrice : warmupPrice) / scale,
        warmTokens: state.warmTokens + (used.units - state.warmTokens) / iteration,
        warmReward: state.warmReward + (used.task - state.warmReward) / iteration,
      },
      facts: { target: B, saturated: 0, held: 0, guarded: 0, used: used.units / B },
    };
  }
  const annealed = (state.iteration - warmupIterations) / (budget.annealIterations ?? 0);
  const above = warmupIterations > 0 ? Math.max(0, state.warmTokens - B) : 0;
  const target = annealed < 1 ? B + (1 - annealed) * above : B;
  const violation = budget.unit === "budget" ? used.units / target - 1 : used.units - target;
  const law = ruled(budget, state, { violation, smoothed, target, used });
  return {
    state: { ...state, iteration, smoothed, integral: law.integral, price: law.dual / scale },
    facts: { target, saturated: law.saturated, held: law.held, guarded: law.guarded, used: used.units / B },
  };
}

interface Seen {
  readonly violation: number;
  readonly smoothed: number;
  readonly target: number;
  readonly used: Used;
}

function ruled(
  budget: BudgetSettings,
  state: PriceState,
  { violation, smoothed, target, used }: Seen,
): { dual: number; integral: number; saturated: number; held: number; guarded: number } {
  const { learningRate, proportionalGain = 0, derivativeGain = 0, guard, unit } = budget;
  const ceiling = budget.maxPrice ?? Number.POSITIVE_INFINITY;
  const bounded = budget.antiWindup ?? true;
  // A cost that limits cut short is a lower bound: being below the target proves nothing.
  const held = bounded && violation < 0 && used.truncated > (budget.truncationTolerance ?? 0.1);
  const counted = held ? 0 : violation;
  const rise = Math.max(0, smoothed - (state.smoothed ?? used.units)) / (unit === "budget" ? target : 1);
  const beside = proportionalGain * counted + derivativeGain * rise;
  const stuck = bounded && violation > 0 && state.integral + beside >= ceiling;
  let integral = stuck ? state.integral : Math.max(0, state.integral + learningRate * counted);
  if (bounded && integral > ceiling) integral = ceiling;
  let dual = Math.max(0, integral + beside);
  if (dual > ceiling) dual = ceiling;
  const reference = guard?.referenceReward ?? state.warmReward;
  const poor = guard?.rewardTolerance !== undefined && used.task < reference - guard.rewardTolerance;
  const silent = guard?.maxSilenceRate !== undefined && used.silence > guard.maxSilenceRate;
  if (guard && (poor || silent)) {
    const kept = guard.action === "lower" ? 1 - (guard.lowerBy ?? 0.1) : 1;
    integral = Math.min(integral, kept * state.integral);
    dual = Math.min(dual, kept * state.price * perPrice(budget));
  }
  return { dual, integral, saturated: dual === ceiling ? 1 : 0, held: held ? 1 : 0, guarded: poor || silent ? 1 : 0 };
}

/** The team's budgets by cost, without those of the user's own. */
export function budgetsOf({
  budget,
  budgets,
}: {
  readonly budget: BudgetSettings | null;
  readonly budgets: Readonly<Record<string, BudgetSettings>>;
}): Readonly<Record<string, BudgetSettings>> {
  const all = { ...(budget && { tokens: budget }), ...budgets };
  return Object.fromEntries(Object.entries(all).filter(([, each]) => !isOwnValue(each)));
}

/** Costs whose price a controller of the user's own sets. */
export function ownBudgetsOf({ budget, budgets }: Parameters<typeof budgetsOf>[0]): string[] {
  const own = Object.keys(budgets).filter((cost) => isOwnValue(budgets[cost]));
  return isOwnValue(budget) ? ["tokens", ...own] : own;
}
