import { LaconicError } from "@laconic/core";
import type { TrainConfig } from "./config.ts";
import type { PartsOutline } from "../parts.ts";
import { costsOf } from "../stages/learner.ts";

/**
 * Refuses settings beside values of the user's own that would have no effect, or that such a value cannot keep to.
 * @throws LaconicError `config_invalid` naming the key
 */
export function checkOwnRules(parts: PartsOutline, config: TrainConfig): void {
  const refuse = (key: string, reason: string): never => {
    throw new LaconicError("config_invalid", `${key}: ${reason}`, { key });
  };
  const { asynchronous, earlyStopping, evaluation, budget, budgets, prices } = config;
  if (parts.curriculum && asynchronous)
    refuse("asynchronous", "plays problems before the results are there that a curriculum chooses by");
  if (parts.curriculum && parts.source) refuse("curriculum", "has no effect: episodes are played elsewhere");
  if (parts.temperature && asynchronous)
    refuse("asynchronous", "plays episodes of several steps at a time, and a schedule gives each its own temperature");
  if (parts.temperature && parts.source) refuse("sampling.temperature", "has no effect: episodes are played elsewhere");
  if (parts.stopping && earlyStopping) refuse("earlyStopping", "has no effect beside a rule of your own; remove one");
  if (parts.stopping && evaluation.every === 0)
    refuse("earlyStopping", "watches evaluations; set evaluation.every above 0");
  const costs = parts.costs ?? costsOf(config);
  for (const cost of Object.keys(parts.budgets ?? {})) {
    const key = cost === "tokens" ? "budget" : `budgets.${cost}`;
    if (!Object.hasOwn(costs, cost))
      refuse(key, `there is no cost "${cost}"; the costs are ${Object.keys(costs).join(", ")}`);
    if (Object.hasOwn(prices, cost))
      refuse(`prices.${cost}`, "has no effect beside a budget, which sets this price; remove one");
    if (Object.hasOwn(budgets, cost) || (cost === "tokens" && budget)) refuse(key, "is set twice; remove one");
  }
}
