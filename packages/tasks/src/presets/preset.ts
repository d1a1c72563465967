import type { TrainConfig, TrainSettings } from "@laconic/trainer";
import type { TaskSettings } from "../named/index.ts";
import type { WorldWarmStart } from "../warm-start/index.ts";

/** The settings of a run, as plain data. Absent settings have the command line's defaults; a configuration file may export one. */
export interface Preset<Task extends TaskSettings = TaskSettings, Train extends TrainSettings = TrainSettings> {
  readonly task: Task;
  /** `shipped` (default), `stories260k` for the story model, a model folder, or `hub:owner/name@revision`. */
  readonly model?: string;
  /** Supervised warm start before the training, on examples with the run's seed. */
  readonly warmStart?: Pick<WorldWarmStart, "name"> & Partial<Omit<WorldWarmStart, "name" | "model">>;
  /** The model of agents that do not learn; the run's model before its first step when absent or null. */
  readonly actor?: { readonly model: string } | null;
  /** One policy for all agents that learn, or one per agent. */
  readonly policies?: "shared" | "own";
  /** Variables of the models' chat templates. */
  readonly chatTemplateArguments?: Readonly<Record<string, unknown>>;
  readonly device?: string;
  readonly train: Train;
}

/** Settings with a token price that a budget controls. */
export type BudgetedTrainSettings = Omit<TrainSettings, "budget"> & {
  readonly budget: Extract<TrainConfig["budget"], { readonly targetTokens: number }>;
};
