import { LaconicError, type EpisodeBudget, type Topology } from "@laconic/core";

/**
 * A topology whose agents can see a budget wherever it runs; that of an episode's own context goes first.
 * @throws LaconicError `config_invalid` for a target that is no number above 0
 */
export function budgeted(topology: Topology, budget: EpisodeBudget): Topology {
  const { targetTokens } = budget;
  if (!(targetTokens > 0 && targetTokens < Infinity))
    throw new LaconicError("config_invalid", `budget.targetTokens: it must be a number above 0, not ${targetTokens}`, {
      key: "budget.targetTokens",
    });
  return { ...topology, run: (problem, context) => topology.run(problem, { budget, ...context }) };
}
