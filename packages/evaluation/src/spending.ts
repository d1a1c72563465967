import type { Baseline } from "@laconic/baselines";
import type { AgentId, Ledger } from "@laconic/core";
import { tokenCost, tokenCounts, type TokenPrice } from "@laconic/core/ledger";
import { roleModelOf, type BenchParts } from "./bench-parts.ts";
import { sumShares, type ModelShare } from "./sample-record.ts";

/** What calls cost the caller: in all, and by model. */
export interface Spending {
  /** US dollars; null where the price of a call is not known, and without any price where nobody was paid. */
  readonly usd: number | null;
  readonly byModel: readonly ModelShare[];
}

/** Agents that bring a model of their own cost the caller nothing, unless the method says what that costs. */
export function spendingOf(
  { calls }: Ledger,
  method: Pick<Baseline, "models" | "prices">,
  parts: Pick<BenchParts, "model" | "price" | "roleModels">,
): Spending {
  const byModel = sumShares(
    calls.map((call) => {
      const { id, price } = voiceOf(call.agent, method, parts);
      const counts = tokenCounts(call);
      return { model: id, calls: 1, ...counts, usd: price === "free" ? 0 : tokenCost(price, counts) };
    }),
  );
  const paid = calls.some(({ agent }) => voiceOf(agent, method, parts).price !== "free");
  const unknown = byModel.some(({ usd }) => usd === null) || (!paid && parts.price === null);
  return { usd: unknown ? null : byModel.reduce((sum, { usd }) => sum + (usd ?? 0), 0), byModel };
}

/** Who an agent speaks with, and what that costs. */
function voiceOf(
  agent: AgentId,
  { models = {}, prices = {} }: Pick<Baseline, "models" | "prices">,
  { model, price, roleModels = {} }: Pick<BenchParts, "model" | "price" | "roleModels">,
): { readonly id: string; readonly price: TokenPrice | null | "free" } {
  const own = Object.hasOwn(models, agent) ? models[agent] : undefined;
  if (own) return { id: own.id, price: Object.hasOwn(prices, agent) ? (prices[agent] ?? null) : "free" };
  const role = roleModelOf(roleModels, agent);
  return role ? { id: role.model.id, price: role.price } : { id: model.id, price };
}
