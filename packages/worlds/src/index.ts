/**
 * The runs of the three papers as plain values, at the size of real checkpoints and as small worlds that train in minutes.
 * @module @laconic/worlds
 */
export { agentGspo } from "./presets/agent-gspo.ts";
export {
  actorFinetune,
  agentPoCritic,
  agentPoDebate,
  agentPoHint,
  agentPoHintPrinted,
  agentPoRoles,
} from "./presets/agentpo.ts";
export { magrpo, magrpoMultiturn } from "./presets/magrpo.ts";
export { relayQuickstart } from "./presets/relay-quickstart.ts";
export { relayActor, relayCritic, relayFeedback, relayHint, relayWriters } from "./presets/relay-worlds.ts";
export { storyActor, storyBudget, storyHint, storyRelay, storyTellers, storyWriters } from "./presets/story-worlds.ts";
export type { BudgetedTrainSettings, Preset } from "./presets/preset.ts";
