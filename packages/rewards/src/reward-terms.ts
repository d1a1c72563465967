import { LaconicError, refuseSetting, type RewardTerms } from "@laconic/core";
import { checkOption } from "./check-option.ts";
import type { Prices } from "./costs.ts";
import type { MeasuredReward } from "./measure-episode.ts";

/** Condition for charging costs. */
export interface PricingOptions {
  /** Min grade to charge costs, in (0, 1], so that brevity never improves a wrong answer. Default: always charge. */
  readonly costWhenTaskAtLeast?: number;
}

/**
 * Agent-GSPO Eq. 1 as signed terms: `task`, and -price * units for each cost.
 * @throws LaconicError `config_invalid` for a negative or infinite price or an unknown cost; `reward_invalid` for a
 * term named like a cost
 * @example rewardTerms({ task: 1, costs: { tokens: 30 } }, { tokens: 0.01 }) // { task: 1, tokens: -0.3 }
 */
export function rewardTerms(measured: MeasuredReward, prices: Prices, options: PricingOptions = {}): RewardTerms {
  checkPrices(prices, Object.keys(measured.costs));
  checkThreshold(options);
  const charged = !(measured.task < (options.costWhenTaskAtLeast ?? -Infinity));
  const terms: Record<string, number> = { ...(measured.terms ?? { task: measured.task }) };
  for (const [name, units] of Object.entries(measured.costs)) {
    if (Object.hasOwn(terms, name))
      throw new LaconicError("reward_invalid", `"${name}" is a term of the reward and a cost; rename one of them`, {
        term: name,
      });
    const price = charged ? (prices[name] ?? 0) : 0;
    terms[name] = price === 0 ? 0 : 0 - price * units; // avoids -0
  }
  return terms;
}

export function checkPrices(prices: Prices, costNames: readonly string[], setting = "prices"): void {
  for (const [name, price] of Object.entries(prices)) {
    const key = `${setting}.${name}`;
    if (!costNames.includes(name)) refuseSetting(key, `unknown cost; known costs: ${costNames.join(", ")}`);
    checkOption(key, price, Number.isFinite(price) && price >= 0, "a finite number from 0 up");
  }
}

export function checkThreshold({ costWhenTaskAtLeast: threshold }: PricingOptions): void {
  if (threshold === undefined) return;
  const valid = threshold > 0 && threshold <= 1;
  checkOption("costWhenTaskAtLeast", threshold, valid, "above 0 and at most 1, or left out to charge always");
}

/**
 * Sums the terms; NaN if any is, because partial sums are not comparable.
 * @throws LaconicError `reward_invalid`
 */
export function rewardTotal(terms: RewardTerms, problemId = "unknown"): number {
  let total = 0;
  for (const [term, value] of Object.entries(terms) as [string, unknown][]) {
    total += typeof value === "number" ? value : Infinity;
    if (Math.abs(total) === Infinity)
      throw new LaconicError(
        "reward_invalid",
        `problem "${problemId}", term "${term}": got ${String(value)}, which has no finite sum with the terms before it`,
        { problemId, term, found: String(value) },
      );
  }
  return total;
}
