/**
 * The configuration of a run in TypeScript.
 * @module @laconic/runtime/define-run
 */
import type { LanguageModel, SupervisedExamples } from "@laconic/core";
import type { DefinedTask, TeamTask } from "@laconic/tasks";
import type { TeamChoice, TaskResources } from "@laconic/tasks/text";
import type { OwnersWarmStart } from "@laconic/tasks/warm-start";
import type { MetricSink, TrainSettings, TrainValues, ValueSource } from "@laconic/trainer";
import type {
  AppConfig,
  NamedSink,
  OwnSinkPlace,
  ActorSettings,
  ExamplesWarmStart,
  MemorySettings,
  TaskSettings,
} from "./run/run-settings.ts";

/** Module path, relative to its file. The value is the default export, or NAME in `./file.ts#NAME`. */
export type FileText = `./${string}` | `../${string}` | `/${string}`;

/** Module that exports a function of `settings`, which the command line can change. */
export interface FileValue {
  readonly file: FileText;
  readonly settings?: Readonly<Record<string, unknown>>;
}

/** A custom value, or the file that makes it. */
export type Own<T> = T | FileText | FileValue;

/** A custom task, or a function that makes it. */
export type OwnTask = Own<TeamTask | DefinedTask | ((resources: TaskResources) => OwnTaskMade)>;

type OwnTaskMade = TeamTask | DefinedTask | Promise<TeamTask | DefinedTask>;

/** Settings of a named task, optionally with a custom team. */
export type NamedTask = TaskSettings extends infer Task
  ? Task extends { readonly team: unknown }
    ? Omit<Task, "team"> & { readonly team: Own<TeamChoice> | readonly Own<TeamChoice>[] }
    : Task
  : never;

type Examples = string | SupervisedExamples | FileValue;

/** Warm start without `model`, which the run sets. */
type WarmStartDefinition =
  | ({ readonly name: "examples"; readonly examples: Examples } & Partial<
      Omit<ExamplesWarmStart, "name" | "examples" | "model">
    >)
  | (Pick<OwnersWarmStart, "name"> & Partial<Omit<OwnersWarmStart, "name" | "model">>);

/** A task, or the name of one with its settings. */
export type TaskChoice = UnknownTask | NamedTask | WithoutName<OwnTask>;

type Listed<Names extends string, Last = LastOf<Names>> = Last extends string
  ? [Exclude<Names, Last>] extends [never]
    ? Last
    : `${Listed<Exclude<Names, Last>>}, ${Last}`
  : never;

/** Last member of a union: TypeScript infers the last overload. */
type LastOf<Names> = (Names extends unknown ? (of: () => Names) => void : never) extends (of: infer Overloads) => void
  ? Overloads extends () => infer Last
    ? Last
    : never
  : never;

/** Never matches; its key makes TypeScript's error list the known names. */
interface UnknownTask extends Readonly<Record<`known names: ${Listed<NamedTask["name"]>}`, never>> {
  readonly name: string;
}

/** A free-text name would make every wrong name valid. */
type WithoutName<T> = T extends TeamTask | DefinedTask ? Omit<T, "name"> : T;

type WithFiles<T> = T extends ValueSource
  ? T | FileText | FileValue
  : T extends TrainValues[keyof TrainValues]
    ? T
    : T extends readonly (infer Item)[]
      ? readonly WithFiles<Item>[]
      : T extends object
        ? { readonly [Key in keyof T]: WithFiles<T[Key]> }
        : T;

/** Training settings; a file can replace each value. */
export type TrainDefinition = Omit<WithFiles<TrainSettings>, "supervised"> & {
  /** Supervised examples for mixed training; `examples` is required. */
  readonly supervised?:
    | (Omit<NonNullable<TrainSettings["supervised"]>, "examples"> & { readonly examples?: Examples | ValueSource })
    | null;
};

/** Configuration of a run. Absent fields have the defaults of `laconic train`. */
export interface RunDefinition extends Partial<
  Pick<
    AppConfig,
    | "model"
    | "policies"
    | "bases"
    | "teachers"
    | "chatTemplateArguments"
    | "lora"
    | "device"
    | "devices"
    | "workers"
    | "deterministic"
  >
> {
  readonly task?: TaskChoice;
  readonly warmStart?: WarmStartDefinition | null;
  /** Model of the agents that do not learn; null for the run's own initial model. */
  readonly actor?: ActorSettings | Own<LanguageModel> | null;
  readonly memory?: Partial<MemorySettings>;
  /** Outputs besides the run folder. Default `["tensorboard"]`. */
  readonly sinks?: readonly (NamedSink | Own<MetricSink | ((location: OwnSinkPlace) => MetricSink)>)[];
  readonly train?: TrainDefinition;
}

/**
 * Returns the configuration unchanged, checked by TypeScript. A custom value can replace any name. Commands read it
 * from the file again, and refuse a run whose files have changed.
 */
export function defineRun(definition: RunDefinition): RunDefinition {
  return definition;
}
