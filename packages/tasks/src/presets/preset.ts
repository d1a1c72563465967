import type { TrainConfig, TrainSettings } from "@laconic/trainer";
import type { BudgetForm } from "../stories/budget-forms.ts";
import type { TaughtSilence } from "../stories/owner-examples.ts";
import type { TaskSettings } from "../named/named-tasks.ts";

/**
 * The settings of a run, as plain data: change a copy, `{ ...relayQuickstart, train: { ...relayQuickstart.train, steps: 40 } }`.
 * What it leaves out is the command line's default. A configuration file may export it.
 */
export interface Preset<Task extends TaskSettings = TaskSettings, Train extends TrainSettings = TrainSettings> {
  readonly task: Task;
  /** `shipped` when absent, `stories260k` for the story model, a model folder, or `hub:owner/name@revision`. */
  readonly model?: string;
  /** Supervised warm start before the training, its examples of the run's seed; what it leaves out is the command line's default. */
  readonly warmStart?: {
    readonly name: "copying" | "owners" | "budgets";
    readonly steps?: number;
    readonly batch?: number;
    readonly seed?: string;
    /** Of `budgets`: how one is said, as in the task. */
    readonly form?: BudgetForm;
    /** Of `owners`: whose silence examples have; by chance when absent. */
    readonly silence?: TaughtSilence;
  };
  /** What agents that do not learn speak with; the run's own model before its first step when absent or null. */
  readonly actor?: { readonly model: string } | null;
  /** One policy for all agents that learn, or each its own. */
  readonly policies?: "shared" | "own";
  /** Variables of the models' chat templates. */
  readonly chatTemplateArguments?: Readonly<Record<string, unknown>>;
  readonly device?: string;
  readonly train: Train;
}

/** Settings that steer a price of tokens. */
export type BudgetedTrainSettings = TrainSettings & { readonly budget: NonNullable<TrainConfig["budget"]> };

/**
 * For chat templates: no thoughts before the answer, which would use up the tokens of a short reply. Qwen3 thinks unless it
 * is told; templates that do not know the argument ignore it.
 */
export const answerAtOnce: Readonly<Record<string, unknown>> = { enable_thinking: false };
