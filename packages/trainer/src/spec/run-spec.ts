import type { Reward } from "@laconic/core";
import type { TrainConfig, TrainSettings } from "../settings/config.ts";
import { valueIn } from "../settings/named.ts";
import { parseTrainConfig } from "../settings/parse-train-config.ts";
import { checkExamples, checkPlayed } from "./check-training.ts";
import { learningOf, type Learning } from "./learning.ts";
import type { TrainingParts } from "./parts.ts";

/** Complete description of a run. */
export interface RunSpec extends Learning {
  /** Parts, with any reward of the settings. */
  readonly parts: TrainingParts;
}

/** Run as described by a program. */
export interface RunSpecOptions extends TrainingParts {
  /** Defaults: `agentGspoDefaults`. */
  readonly settings?: TrainSettings;
}

/**
 * Compiles a run: fills in defaults and replaces names by values.
 * @throws LaconicError `input_invalid` for parts, `config_invalid` for settings that do not fit
 */
export function runSpec({ settings = {}, ...parts }: RunSpecOptions): RunSpec {
  const config = parseTrainConfig(settings);
  const learning = learningOf(parts, config);
  checkPlayed(parts, learning);
  checkExamples(parts, learning);
  return { ...learning, parts: { ...parts, task: withReward(parts.task, config) } };
}

/** Replaces the task's reward by that of the settings, if any. */
export function withReward<Task extends { readonly reward?: Reward }>(task: Task, { reward }: TrainConfig): Task {
  return reward ? { ...task, reward: valueIn<"reward">(reward) } : task;
}
