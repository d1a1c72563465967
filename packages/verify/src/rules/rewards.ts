import type { LedgerCall, Utterance } from "@laconic/core";
import type { Played } from "../played.ts";
import { total, type Numbers, applicable, meanOf } from "./numbers.ts";
import type { CostSettings, TrainSettings, BudgetSettings } from "./settings.ts";

export type Said = Pick<Played, "utterances"> & { readonly ledger: { readonly calls: readonly LedgerCall[] } };

/** Costs of Agent-GSPO's Eq. 1. */
const equation1: Readonly<Record<string, CostSettings>> = {
  tokens: { kind: "tokens-written" },
  turns: { kind: "turns", count: "spoken" },
  repetition: { kind: "repetition", n: 3, of: "words", against: "utterance" },
};

export function costsOf({ costs }: Pick<TrainSettings, "costs">, { utterances, ledger }: Said): Numbers {
  const unitsOf = (cost: CostSettings): number => {
    const pays = ({ agent }: { readonly agent: string }): boolean => cost.by === undefined || cost.by === agent;
    const calls = ledger.calls.filter(pays);
    if (cost.kind === "tokens-written") return total(calls.map(({ writtenTokens }) => writtenTokens));
    if (cost.kind === "turns")
      return utterances.filter((utterance) => pays(utterance) && (cost.count === "all" || !utterance.silent)).length;
    if (cost.kind === "repetition") return repeatedShare(cost, utterances, pays);
    return total(calls.flatMap(({ reads }) => reads.map(({ tokens }) => tokens)));
  };
  return Object.fromEntries(Object.entries(costs ?? equation1).map(([name, cost]) => [name, unitsOf(cost)]));
}

function repeatedShare(
  { n = 3, of, against }: CostSettings,
  utterances: readonly Utterance[],
  pays: (utterance: Utterance) => boolean,
): number {
  const before = new Set<string>();
  let [grams, repeated] = [0, 0];
  for (const utterance of utterances) {
    if (against === "utterance") before.clear();
    const text = utterance.text.toLowerCase();
    const pieces = of === "words" ? text.split(/\s+/u).filter(Boolean) : Array.from(text);
    for (let i = 0; i + n <= pieces.length; i++) {
      const gram = JSON.stringify(pieces.slice(i, i + n));
      grams += pays(utterance) ? 1 : 0;
      repeated += pays(utterance) && before.has(gram) ? 1 : 0;
      before.add(gram);
    }
  }
  return grams === 0 ? 0 : repeated / grams;
}

/** Grade, or NaN if not scored. */
export const gradeOf = ({ score }: Pick<Played, "score">): number =>
  score?.status === "scored" ? (score.value ?? Number.NaN) : Number.NaN;

/** Agent-GSPO's Eq. 1: r = task - λ_tok tokens - λ_turn turns - λ_rep repetition, as separate terms. */
export function termsOf(episode: Pick<Played, "score">, costs: Numbers, prices: Numbers): Numbers {
  const charged = Object.entries(costs).map(([name, units]): [string, number] => {
    const price = prices[name] ?? 0;
    return [name, price === 0 ? 0 : -price * units];
  });
  return { ...(episode.score?.reward?.team ?? { task: gradeOf(episode) }), ...Object.fromEntries(charged) };
}

/** Budget state between steps: `price` is λ, `integral` the value of Eq. 5. */
export type PriceState = Readonly<Record<"iteration" | "price" | "integral" | "warmTokens" | "warmReward", number>>;

type Used = Readonly<Record<"units" | "task" | "silence" | "truncated", number>>;

/** @param cost - cost name; `tokens` falls back to the ledger's count */
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

/** Eq. 5, λ ← max(0, λ + η (mean - B)), with warm-up, annealed target, proportional term, ceiling and guard. */
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
  // A truncated cost is a lower bound, so the real cost may exceed the target.
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
