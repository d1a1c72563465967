/**
 * The three papers as values, each changed in one property. Everything with a name can be imported and changed.
 *
 *     npm run -s laconic -- train examples/papers.ts#fewerWords --run runs/fewer-words
 *     npm run -s laconic -- plan examples/papers.ts#smallerGroups
 */
import { agentGspo, agentPoHint, magrpo, relayHint, relayQuickstart, relayWriters } from "@laconic/tasks/presets";
import { defineRun } from "@laconic/cli";

/** Small Agent-GSPO with a tighter budget: 10 tokens per episode instead of 14. */
export const fewerWords = defineRun({
  ...relayQuickstart,
  train: { ...relayQuickstart.train, budget: { ...relayQuickstart.train.budget, targetTokens: 10 } },
});

/** Small AgentPO with sequence ratios instead of its token mean. */
export const sequenceRatios = defineRun({
  ...relayHint,
  train: { ...relayHint.train, objective: { name: "gspo", clip: { low: 0.2, high: 0.28 } } },
});

/** Small MAGRPO with one shared policy instead of one per writer. */
export const onePolicy = defineRun({ ...relayWriters, policies: "shared" });

export const inAChain = defineRun({ ...agentGspo, task: { ...agentGspo.task, team: "chain" } });

/** AgentPO on GSM8K with groups of 8 instead of 16. */
export const smallerGroups = defineRun({ ...agentPoHint, train: { ...agentPoHint.train, episodesPerProblem: 8 } });

/** MAGRPO on TLDR with a fifth of the steps. */
export const shorter = defineRun({ ...magrpo, train: { ...magrpo.train, steps: 220 } });
