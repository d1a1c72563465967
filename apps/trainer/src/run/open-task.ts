import { relayCriticTask, relayFeedbackTask, relayHintTask, relayTask, relayWritersTask } from "@laconic/benchmarks";
import type { Tokenizer } from "@laconic/core";
import type { TrainingTask } from "@laconic/trainer";
import type { TaskSettings } from "./app-config.ts";

/** A task of the app: what the trainer needs, the tokenizer of its prompts, and who learns. */
export interface AppTask extends TrainingTask {
  readonly tokenizer: Tokenizer;
  /** All agents when absent; the others speak as the model was before the first step. */
  readonly trainedAgents?: readonly string[];
}

export function openTask(settings: TaskSettings, heldOut = 1000): AppTask {
  const { name: _, ...options } = settings;
  switch (settings.name) {
    case "relay":
      return relayTask({ level: settings.level, heldOut });
    case "relay-hint":
      return relayHintTask({ ...options, heldOut });
    case "relay-critic":
      return relayCriticTask({ ...options, heldOut });
    case "relay-writers":
      return relayWritersTask({ heldOut });
    case "relay-feedback":
      return relayFeedbackTask({ heldOut });
  }
}

/** `relay/one-fact`, `relay-hint`. */
export function taskTitle(settings: TaskSettings): string {
  return settings.name === "relay" ? `${settings.name}/${settings.level}` : settings.name;
}
