/**
 * The configuration of a run in TypeScript.
 * @module @laconic/runtime/define-run
 */
import type {
  Curriculum,
  Estimator,
  EstimatorFunction,
  Grouping,
  GroupReward,
  LanguageModel,
  LoraSettings,
  Matchmaking,
  Objective,
  Reward,
  Schedule,
  StoppingRule,
  SupervisedExamples,
} from "@laconic/core";
import type { Cost } from "@laconic/rewards";
import type { DefinedTask, TeamTask } from "@laconic/tasks";
import type { TeamChoice, TaskResources } from "@laconic/tasks/text";
import type { WorldWarmStart } from "@laconic/tasks/warm-start";
import type {
  MetricSink,
  OpponentSettings,
  PolicySettings,
  TrainConfig,
  TrainSettings,
  TrainValues,
  WrittenObjective,
} from "@laconic/trainer";
import type { NamedSink, OwnSinkPlace } from "./sinks/sink-setting.ts";
import type { ActorSettings, ExamplesWarmStart, MemorySettings, TaskSettings } from "./run/run-settings.ts";

/** A module whose default export is the value, or `./file.ts#name` for another; relative to the file that says it. */
export type FileText = `./${string}` | `../${string}` | `/${string}`;

/** The same where the export is a function that is called with settings. They can be changed on the command line. */
export interface FileValue {
  readonly file: FileText;
  readonly settings?: Readonly<Record<string, unknown>>;
}

/** A value of one's own: itself, or the file that makes it. */
export type Own<T> = T | FileText | FileValue;

/** A task of one's own, or what makes it, told where models and data are. */
export type OwnTask = Own<TeamTask | DefinedTask | ((resources: TaskResources) => OwnTaskMade)>;

type OwnTaskMade = TeamTask | DefinedTask | Promise<TeamTask | DefinedTask>;

/** A task that has a name, where a team over text may be one's own. */
export type NamedTask = TaskSettings extends infer Task
  ? Task extends { readonly team: unknown }
    ? Omit<Task, "team"> & { readonly team: Own<TeamChoice> | readonly Own<TeamChoice>[] }
    : Task
  : never;

/** A data file, a list or function of one's own, or the module that exports it. */
type Examples = string | SupervisedExamples | FileValue;

/** Some of a warm start's settings have defaults; which model had it is for the run to say. */
type WarmStartDefinition =
  | ({ readonly name: "examples"; readonly examples: Examples } & Partial<
      Omit<ExamplesWarmStart, "name" | "examples" | "model">
    >)
  | (Pick<WorldWarmStart, "name"> & Partial<Omit<WorldWarmStart, "name" | "model">>);

/** What `task` may be: settings of a task that has a name, a task of one's own, or the file that makes it. */
export type TaskChoice = UnknownTask | NamedTask | WithoutName<OwnTask>;

type Listed<Names extends string, Last = LastOf<Names>> = Last extends string
  ? [Exclude<Names, Last>] extends [never]
    ? Last
    : `${Listed<Exclude<Names, Last>>}, ${Last}`
  : never;

/** Of a union: TypeScript infers the last of overloads. */
type LastOf<Names> = (Names extends unknown ? (of: () => Names) => void : never) extends (of: infer Overloads) => void
  ? Overloads extends () => infer Last
    ? Last
    : never
  : never;

/** No value has this type: a key that nobody writes has the names, and TypeScript's message about a wrong name prints it. */
interface UnknownTask extends Readonly<Record<`known names: ${Listed<NamedTask["name"]>}`, never>> {
  readonly name: string;
}

/** A name that may be any text would make every wrong name a right one. */
type WithoutName<T> = T extends TeamTask | DefinedTask ? Omit<T, "name"> : T;

type Learning = {
  /** How rewards become advantages. */
  readonly advantage?: TrainConfig["advantage"] | Own<Estimator | EstimatorFunction>;
  readonly objective?: WrittenObjective | Own<Objective>;
};

type BudgetOptions = NonNullable<PolicySettings["budget"]>;

type Budget = Own<TrainValues["budget"]>;

type OwnPolicy = Omit<PolicySettings, "advantage" | "objective" | "budget" | "learningRate"> &
  Learning & {
    readonly budget?: BudgetOptions | Budget;
    /** Over optimiser steps. */
    readonly learningRate?: PolicySettings["learningRate"] | Own<Schedule>;
  };

/** Training settings in which values of one's own stand where named ones do. */
export type TrainDefinition = Omit<TrainSettings, keyof Learning | keyof OwnTraining> & Learning & OwnTraining;

interface OwnTraining {
  /** What an episode earned, in place of the task's own. */
  readonly reward?: Own<Reward>;
  /** Judges all episodes of a problem at once; its terms are added to the reward's, in training. */
  readonly groupReward?: Own<GroupReward>;
  /** Which utterances share a group. */
  readonly groupBy?: TrainConfig["groupBy"] | Own<Grouping>;
  readonly costs?: Readonly<Record<string, NonNullable<TrainConfig["costs"]>[string] | Own<Cost>>> | null;
  /** Sets the price of a token. */
  readonly budget?: TrainSettings["budget"] | Budget;
  readonly budgets?: Readonly<Record<string, BudgetOptions | Budget>>;
  readonly optimizer?: Omit<NonNullable<TrainSettings["optimizer"]>, "learningRate"> & {
    readonly learningRate?: NonNullable<TrainSettings["optimizer"]>["learningRate"] | Own<Schedule>;
  };
  readonly sampling?: Omit<TrainConfig["sampling"], "temperature"> & {
    /** Of training; evaluations sample at 1 where this is a schedule. */
    readonly temperature: number | Own<Schedule>;
  };
  readonly earlyStopping?: TrainSettings["earlyStopping"] | Own<StoppingRule>;
  /** Supervised examples that are learned beside what is earned; refused without `examples`. */
  readonly supervised?: (NonNullable<TrainSettings["supervised"]> & { readonly examples?: Examples }) | null;
  /** Chooses the problems of each step from the pool. */
  readonly curriculum?: Own<Curriculum>;
  /** Frozen opponents that play some agents in training. */
  readonly opponents?:
    | (Omit<NonNullable<TrainSettings["opponents"]>, "matchmaking"> & {
        /** Chooses the opponent of a game from the results so far. */
        readonly matchmaking?: OpponentSettings["matchmaking"] | Own<Matchmaking>;
      })
    | null;
  readonly policies?: Readonly<Record<string, OwnPolicy>>;
}

/** A run as one writes it. What is absent is as `laconic train` has it without a configuration. */
export interface RunDefinition {
  readonly task?: TaskChoice;
  /** `shipped`, `untrained`, a model folder, or `hub:owner/name@revision`. */
  readonly model?: string;
  /** A supervised warm start before the training. */
  readonly warmStart?: WarmStartDefinition | null;
  /** What agents that do not learn speak with; null: the run's own model as it was before the first step. */
  readonly actor?: ActorSettings | Own<LanguageModel> | null;
  readonly policies?: "shared" | "own";
  /** Other models for single policies, by name. */
  readonly bases?: Readonly<Record<string, string>>;
  /** Frozen models that objectives compare with, by name: `train.objective.kl.to`. They share the run's tokenizer. */
  readonly teachers?: Readonly<Record<string, string>>;
  /** Variables of the models' chat templates. */
  readonly chatTemplateArguments?: Readonly<Record<string, unknown>>;
  readonly lora?: LoraSettings | null;
  readonly device?: string;
  readonly workers?: number | "auto";
  readonly memory?: Partial<MemorySettings>;
  /** Where metrics, validation values and transcripts go beside the run's folder; `["tensorboard"]` when absent. */
  readonly sinks?: readonly (NamedSink | Own<MetricSink | ((place: OwnSinkPlace) => MetricSink)>)[];
  readonly train?: TrainDefinition;
}

/**
 * A run's configuration, as it is: `export default defineRun({ ... })` in `run.config.ts` is checked by TypeScript and completed
 * by an editor. A value of one's own goes where a name goes; every command finds it again in the file, and refuses a run whose
 * files have changed.
 */
export function defineRun(definition: RunDefinition): RunDefinition {
  return definition;
}
