import { LaconicError, nearestName } from "@laconic/core";
import { wordTable } from "@laconic/core/checks";
import {
  actorFinetune,
  agentGspo,
  agentPoCritic,
  agentPoDebate,
  agentPoHint,
  agentPoHintPrinted,
  agentPoRoles,
  magrpo,
  magrpoMultiturn,
  relayActor,
  relayCritic,
  relayFeedback,
  relayHint,
  relayQuickstart,
  relayWriters,
  storyActor,
  storyBudget,
  storyHint,
  storyRelay,
  storyTellers,
  storyWriters,
  type Preset,
} from "@laconic/tasks/presets";

const presets: Readonly<Record<string, Preset>> = wordTable({
  "agent-gspo": agentGspo,
  "agentpo-hint": agentPoHint,
  "agentpo-hint-printed": agentPoHintPrinted,
  "agentpo-critic": agentPoCritic,
  "agentpo-debate": agentPoDebate,
  "agentpo-roles": agentPoRoles,
  "actor-finetune": actorFinetune,
  magrpo,
  "magrpo-multiturn": magrpoMultiturn,
  "relay-quickstart": relayQuickstart,
  "relay-hint": relayHint,
  "relay-critic": relayCritic,
  "relay-actor": relayActor,
  "relay-writers": relayWriters,
  "relay-feedback": relayFeedback,
  "story-tellers": storyTellers,
  "story-relay": storyRelay,
  "story-hint": storyHint,
  "story-actor": storyActor,
  "story-writers": storyWriters,
  "story-budget": storyBudget,
});

/** Of all presets, as `preset:NAME` takes them. */
export const presetNames: readonly string[] = Object.keys(presets);

/** @throws LaconicError `config_invalid` with the nearest known name. */
export function presetConfig(name: string): Readonly<Record<string, unknown>> {
  const preset = Object.hasOwn(presets, name) ? presets[name] : undefined;
  if (preset) return { ...preset };
  const near = nearestName(name, presetNames);
  throw new LaconicError(
    "config_invalid",
    `there is no preset ${name}; ${near === undefined ? `known: ${presetNames.join(", ")}` : `did you mean preset:${near}?`}`,
    { preset: name },
  );
}
