import type { UnknownRecord } from "@laconic/core";
import type { TrainConfig, TrainSettings } from "@laconic/trainer";
import type { TaskSettings } from "../named/index.ts";
import type { OwnersWarmStart } from "../warm-start/index.ts";

/** Run settings; defaults are those of the command line. */
export interface Preset<Task extends TaskSettings = TaskSettings, Train extends TrainSettings = TrainSettings> {
  readonly task: Task;
  /** `shipped` (default), `stories260k`, a model folder, or `hub:owner/name@revision`. */
  readonly model?: string;
  /** Examples use the run's seed. */
  readonly warmStart?: Pick<OwnersWarmStart, "name"> & Partial<Omit<OwnersWarmStart, "name" | "model">>;
  /** Model of frozen agents. Default: the run's initial model. */
  readonly actor?: { readonly model: string } | null;
  /** One for all trained agents, or one per agent. */
  readonly policies?: "shared" | "own";
  readonly chatTemplateArguments?: UnknownRecord;
  readonly device?: string;
  readonly train: Train;
}

/** Settings with a budget that controls the token price. */
export type BudgetedTrainSettings = Omit<TrainSettings, "budget"> & {
  readonly budget: Extract<TrainConfig["budget"], { readonly targetTokens: number }>;
};
