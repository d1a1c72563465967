import type { EpisodeContext } from "@laconic/core";
import { callsOf, type Turn } from "./turn.ts";
import type { BudgetView } from "./view.ts";

/** The budget as the next speakers see it; undefined where the episode has none. */
export function budgetView({ budget }: Pick<EpisodeContext, "budget">, turns: readonly Turn[]): BudgetView | undefined {
  if (!budget) return undefined;
  const { targetTokens } = budget;
  const spentTokens = turns.flatMap(callsOf).reduce((sum, call) => sum + call.writtenTokens, 0);
  return { targetTokens, spentTokens, leftTokens: Math.max(0, targetTokens - spentTokens) };
}
