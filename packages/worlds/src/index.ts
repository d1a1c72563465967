/**
 * The runs of the three papers as plain values, at the size of real checkpoints and as small worlds that train in minutes.
 * @module @laconic/worlds
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
  magrpoMultiturn,
} from "./presets/papers.ts";
export {
  relayQuickstart,
  relayActor,
  relayCritic,
  relayFeedback,
  relayHint,
  relayWriters,
} from "./presets/relay-worlds.ts";
export { storyActor, storyBudget, storyHint, storyRelay, storyTellers, storyWriters } from "./presets/story-worlds.ts";
export type { BudgetedTrainSettings, Preset } from "./presets/preset.ts";
