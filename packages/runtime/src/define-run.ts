/**
 * The configuration of a run in TypeScript.
 * @module @laconic/runtime/define-run
 */
import type { LanguageModel, LoraSettings, SupervisedExamples } from "@laconic/core";
import type { DefinedTask, TeamTask } from "@laconic/tasks";
import type { TeamChoice, TaskResources } from "@laconic/tasks/text";
import type { WorldWarmStart } from "@laconic/tasks/warm-start";
import type { MetricSink, TrainSettings, TrainValues, ValueSource } from "@laconic/trainer";
import type {
  NamedSink,
  OwnSinkPlace,
  ActorSettings,
  ExamplesWarmStart,
  MemorySettings,
  TaskSettings,
} from "./run/run-settings.ts";

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

/** Settings in which a file that makes a value stands for the value. */
type WithFiles<T> = T extends ValueSource
  ? T | FileText | FileValue
  : T extends TrainValues[keyof TrainValues]
    ? T
    : T extends readonly (infer Item)[]
      ? readonly WithFiles<Item>[]
      : T extends object
        ? { readonly [Key in keyof T]: WithFiles<T[Key]> }
        : T;

/** Training settings: a setting that takes a value takes the file that makes one, too. */
export type TrainDefinition = Omit<WithFiles<TrainSettings>, "supervised"> & {
  /** Supervised examples that are learned too; refused without `examples`. */
  readonly supervised?:
    | (Omit<NonNullable<TrainSettings["supervised"]>, "examples"> & { readonly examples?: Examples | ValueSource })
    | null;
};

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
