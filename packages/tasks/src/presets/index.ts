/**
 * The runs of three papers, for real checkpoints and as small worlds.
 * @module @laconic/tasks/presets
 */
export {
  agentGspo,
  actorFinetune,
  agentPoCritic,
  agentPoDebate,
  agentPoHint,
  agentPoHintPrinted,
  agentPoRoles,
  magrpo,
  magrpoCode,
  magrpoMultiturn,
} from "./papers.ts";
export { relayQuickstart, relayActor, relayCritic, relayFeedback, relayHint, relayWriters } from "./relay-worlds.ts";
export { stepsActor, stepsHint, stepsSplit, stepsStar } from "./step-worlds.ts";
export { storyTellers } from "./story-tellers.ts";
export type { BudgetedTrainSettings, Preset } from "./preset.ts";
