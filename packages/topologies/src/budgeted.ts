import { refuseSetting, type EpisodeBudget, type EpisodeContext, type Topology } from "@laconic/core";
import { callsOf, type Turn } from "./turn.ts";
import type { BudgetView } from "./view.ts";

/**
 * Shows agents a budget; an episode's budget takes precedence.
 * @throws LaconicError `config_invalid`
 */
export function budgeted(topology: Topology, budget: EpisodeBudget): Topology {
  const { targetTokens } = budget;
  if (!(targetTokens > 0 && targetTokens < Infinity))
    refuseSetting("budget.targetTokens", `it must be a number above 0, not ${targetTokens}`);
  return { ...topology, run: (problem, context) => topology.run(problem, { budget, ...context }) };
}

export function budgetView({ budget }: Pick<EpisodeContext, "budget">, turns: readonly Turn[]): BudgetView | undefined {
  if (!budget) return undefined;
  const { targetTokens } = budget;
  const spentTokens = turns.flatMap(callsOf).reduce((sum, call) => sum + call.writtenTokens, 0);
  return { targetTokens, spentTokens, leftTokens: Math.max(0, targetTokens - spentTokens) };
}
