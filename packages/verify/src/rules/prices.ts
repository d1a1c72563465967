import type { Played } from "../played.ts";
import { applicable, meanOf, total, type Numbers } from "./numbers.ts";
import { gradeOf } from "./rewards.ts";
import type { BudgetSettings } from "./settings.ts";

/** A budget between two steps: its price is λ, its integral the part of Eq. 5. */
export type PriceState = Readonly<Record<"iteration" | "price" | "integral" | "warmTokens" | "warmReward", number>>;

type Used = Readonly<Record<"units" | "task" | "silence" | "truncated", number>>;

/** @param cost - by name; tokens are those of the ledger where they are no cost */
export function usedOf(cost: string, played: readonly { readonly episode: Played; readonly costs: Numbers }[]): Used {
  const units = played.map(({ episode, costs }) => {
    if (cost in costs) return costs[cost] ?? Number.NaN;
    return cost === "tokens" ? total(episode.ledger.calls.map((call) => call.writtenTokens)) : Number.NaN;
  });
  const turns = played.flatMap(({ episode }) => episode.utterances);
  const isCut = ({ stopReason, utterances }: Played): boolean =>
    ["truncated", "token_limit"].includes(stopReason) ||
    utterances.some(({ finishReason }) => ["length", "unknown"].includes(finishReason));
  return {
    units: meanOf(applicable(units)),
    task: meanOf(applicable(played.map(({ episode }) => gradeOf(episode)))),
    silence: meanOf(turns.map(({ silent }) => (silent ? 1 : 0))),
    truncated: meanOf(played.map(({ episode }) => (isCut(episode) ? 1 : 0))),
  };
}

export function firstPrice({ warmupIterations = 0, warmupPrice = 0, initialPrice = 0 }: BudgetSettings): PriceState {
  const price = warmupIterations > 0 ? warmupPrice : initialPrice;
  return { iteration: 0, price, integral: initialPrice, warmTokens: 0, warmReward: 0 };
}

/** Eq. 5, λ ← max(0, λ + η (mean - B)), with what the settings add: warm-up, annealed target, proportional term, ceiling, guard. */
export function nextPrice(budget: BudgetSettings, state: PriceState, used: Used): PriceState {
  const { targetTokens, warmupIterations = 0, warmupPrice = 0, initialPrice = 0, maxPrice = Infinity } = budget;
  const iteration = state.iteration + 1;
  if (state.iteration < warmupIterations) {
    const warmTokens = state.warmTokens + (used.units - state.warmTokens) / iteration;
    const warmReward = state.warmReward + (used.task - state.warmReward) / iteration;
    const price = iteration === warmupIterations ? initialPrice : warmupPrice;
    return { iteration, price, integral: initialPrice, warmTokens, warmReward };
  }
  const annealed = (state.iteration - warmupIterations) / (budget.annealIterations ?? 0);
  const above = warmupIterations > 0 ? Math.max(0, state.warmTokens - targetTokens) : 0;
  const violation = used.units - (annealed < 1 ? targetTokens + (1 - annealed) * above : targetTokens);
  // A cost that limits cut short is a lower bound: being below the target proves nothing.
  const isHeld = violation < 0 && used.truncated > (budget.truncationTolerance ?? 0.1);
  const counted = isHeld ? 0 : violation;
  const proportional = (budget.proportionalGain ?? 0) * counted;
  const isStuck = violation > 0 && state.integral + proportional >= maxPrice;
  const moved = Math.min(maxPrice, Math.max(0, state.integral + budget.learningRate * counted));
  let integral = isStuck ? state.integral : moved;
  let price = Math.min(maxPrice, Math.max(0, integral + proportional));
  const {
    rewardTolerance = Infinity,
    referenceReward = state.warmReward,
    maxSilenceRate = Infinity,
  } = budget.guard ?? {};
  const isGuarded = used.task < referenceReward - rewardTolerance || used.silence > maxSilenceRate;
  if (isGuarded) [integral, price] = [Math.min(integral, state.integral), Math.min(price, state.price)];
  return { ...state, iteration, integral, price };
}
