/**
 * The three papers as values, each changed in one property. What can be named can be imported, and what is imported can be changed.
 *
 *     npm run -s laconic -- train examples/papers.ts#fewerWords --run runs/fewer-words
 *     npm run -s laconic -- plan examples/papers.ts#smallerGroups
 */
import { agentGspo, agentPoHint, magrpo, relayHint, relayQuickstart, relayWriters } from "@laconic/tasks/presets";
import { defineRun } from "laconic";

/** Agent-GSPO in small, for a tighter budget: 10 tokens per episode instead of 14. */
export const fewerWords = defineRun({
  ...relayQuickstart,
  train: { ...relayQuickstart.train, budget: { ...relayQuickstart.train.budget, targetTokens: 10 } },
});

/** AgentPO in small, with sequence ratios instead of its token mean. */
export const sequenceRatios = defineRun({
  ...relayHint,
  train: { ...relayHint.train, objective: { name: "gspo", clip: { low: 0.2, high: 0.28 } } },
});

/** MAGRPO in small, with one policy for both writers instead of one each. */
export const onePolicy = defineRun({ ...relayWriters, policies: "shared" });

/** Agent-GSPO on GSM8K, in a chain instead of a star. */
export const inAChain = defineRun({ ...agentGspo, task: { ...agentGspo.task, team: "chain" } });

/** AgentPO on GSM8K, with groups of 8 instead of 16. */
export const smallerGroups = defineRun({ ...agentPoHint, train: { ...agentPoHint.train, episodesPerProblem: 8 } });

/** MAGRPO on TLDR, a fifth as long. */
export const shorter = defineRun({ ...magrpo, train: { ...magrpo.train, steps: 220 } });
