import type { TrainConfig, TrainSettings } from "@laconic/trainer";
import type { TaskSettings } from "../named/index.ts";
import type { WorldWarmStart } from "../warm-start/index.ts";

/** Run settings as plain data, as in a configuration file. Defaults are those of the command line. */
export interface Preset<Task extends TaskSettings = TaskSettings, Train extends TrainSettings = TrainSettings> {
  readonly task: Task;
  /** `shipped` (default), `stories260k` (the story model), a model folder, or `hub:owner/name@revision`. */
  readonly model?: string;
  /** Supervised warm start; its examples use the run's seed. */
  readonly warmStart?: Pick<WorldWarmStart, "name"> & Partial<Omit<WorldWarmStart, "name" | "model">>;
  /** Model of frozen agents. Default: the run's initial model. */
  readonly actor?: { readonly model: string } | null;
  /** A policy for all trained agents, or one per agent. */
  readonly policies?: "shared" | "own";
  readonly chatTemplateArguments?: Readonly<Record<string, unknown>>;
  readonly device?: string;
  readonly train: Train;
}

/** Train settings with a budget that controls the token price. */
export type BudgetedTrainSettings = Omit<TrainSettings, "budget"> & {
  readonly budget: Extract<TrainConfig["budget"], { readonly targetTokens: number }>;
};
