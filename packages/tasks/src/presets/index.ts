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
export {
  relayActor,
  relayCritic,
  relayFeedback,
  relayHint,
  relayQuickstart,
  relayWriters,
  stepsActor,
  stepsHint,
  stepsSplit,
  stepsStar,
  storyTellers,
} from "./small-worlds.ts";
export type { BudgetedTrainSettings, Preset } from "./preset.ts";
