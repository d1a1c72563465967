import { settingError } from "../setting-error.ts";
import { type LoraSettings } from "@laconic/core";
import type { Recompute } from "@laconic/engine";
import type { TaskSettings } from "@laconic/tasks/named";
import type { TeamName } from "@laconic/tasks/text";
import type { WarmStartSteps, WorldWarmStart } from "@laconic/tasks/warm-start";
import { exampleShape, type ExampleSettings, type TrainConfig } from "@laconic/trainer";
import { budgetFormNames } from "@laconic/tasks/stories";
import { schemaOf } from "@laconic/core/schemas";
import { z } from "zod";
import { isReference, type Reference } from "../resolver/reference.ts";
import type { SamplerSettings, RemoteSettings } from "./servers.ts";

/** A run as a configuration file describes it; `configSchema` says what each setting is. */
export interface AppConfig {
  readonly task: RunTask;
  readonly model: string;
  readonly warmStart: WarmStartSettings | null;
  /** Null computes here; else a server trains and samples, and `model` is where the tokenizer comes from. */
  readonly engine: RemoteSettings | null;
  readonly actor: ActorSettings | Reference | null;
  readonly sampler: SamplerSettings | null;
  /** `shared`: all agents that learn speak with one policy; `own`: each has its own, an adapter of its own with `lora`. */
  readonly policies: "shared" | "own";
  readonly bases: Readonly<Record<string, string>>;
  readonly teachers: Readonly<Record<string, string>>;
  /**
   * Variables of the models' chat templates, as keywords of transformers' `apply_chat_template`: `enable_thinking`, `tools`,
   * ... For all models of the run that compute here; a template that does not know one ignores it.
   */
  readonly chatTemplateArguments: Readonly<Record<string, unknown>>;
  readonly lora: LoraSettings | null;
  readonly device: string;
  /** Threads that share each batch; `auto` is what suits the device. Part of the run: another number rounds differently. */
  readonly workers: number | "auto";
  /** No sums whose order differs from run to run, as CUDA's atomic ones do; a device that cannot do without is refused. */
  readonly deterministic: boolean;
  readonly memory: MemorySettings;
  readonly sinks: readonly SinkSetting[];
  readonly train: TrainConfig;
}

export type { TaskSettings };

/** A named task, whose team may be a reference, or a reference to a task. */
export type RunTask = WithReferences<TaskSettings> | Reference;

type WithReferences<Task> = Task extends { readonly team: unknown }
  ? Omit<Task, "team"> & { readonly team: TeamName | Reference | readonly (TeamName | Reference)[] }
  : Task;

/** A supervised warm start before the training: on examples of one's own, or of what a story world needs. */
export type WarmStartSettings = ExamplesWarmStart | WorldWarmStart;

export interface ExamplesWarmStart extends WarmStartSteps, Partial<ExampleSettings> {
  readonly name: "examples";
  readonly examples: Reference;
  /** Peak of the learning rate: it rises over the first tenth of the steps and falls to a twentieth. */
  readonly learningRate: number;
}

/** What agents that do not learn speak with, at temperature 0. */
export type ActorSettings =
  /** A model folder, or `hub:owner/name@revision`. */
  | { readonly model: string }
  /** Any OpenAI-compatible server; its key is $OPENAI_API_KEY. */
  | { readonly api: { readonly model: string; readonly baseUrl: string; readonly concurrency?: number } };

/** What memory is traded for; `laconic plan` says what fits. Part of the run: other micro-batches round differently. */
export interface MemorySettings {
  /** Bounds what a training pass holds. */
  readonly maxTokensPerMicroBatch: number;
  /** `layer` keeps each layer's input alone and computes the rest again: less memory, one more forward pass. */
  readonly recompute: Recompute;
  /** Most memory of the key-value caches of each worker in GB; three quarters of what is free by default. */
  readonly cacheGb?: number;
}

/** Kinds of examples: the tasks whose models need them. */
const tasksOf: Readonly<Record<WorldWarmStart["name"], readonly string[]>> = {
  copying: ["story-tellers", "story-relay"],
  owners: ["story-tellers"],
  budgets: ["story-budget"],
};

/** Steps that the presets' figures begin with. */
const defaultSteps: Readonly<Record<WarmStartSettings["name"], number>> = {
  copying: 400,
  owners: 600,
  budgets: 160,
  examples: 100,
};

export const warmStartNames = Object.keys(tasksOf) as WorldWarmStart["name"][];

const fieldsOf = <Name extends WarmStartSettings["name"]>(name: Name) => ({
  name: z.literal(name).describe("Which examples"),
  steps: z.int().min(1).default(defaultSteps[name]).describe("Optimiser steps"),
  batch: z.int().min(1).default(32).describe("Examples of an optimiser step"),
  seed: z
    .union([z.string(), z.int()])
    .transform((seed) => String(seed))
    .exactOptional()
    .describe("Seed of the examples; that of the run by default"),
  model: z.string().min(1).exactOptional().describe("Weights to begin with, instead of those of the run"),
});

/** A warm start whose examples may take the seed of the run. */
export type GivenWarmStart = WarmStartSettings extends infer Each
  ? Each extends WarmStartSettings
    ? Omit<Each, "seed"> & Partial<Pick<Each, "seed">>
    : never
  : never;

const referenceSchema: z.ZodType<Reference> = z.strictObject(
  {
    file: z.string().min(1),
    export: z.string().min(1).describe("Name of the export; `default` by default"),
    path: z.array(z.string()).exactOptional().describe("Place within the export"),
    settings: z.record(z.string(), z.unknown()).exactOptional().describe("What the export is called with"),
    name: z.string().exactOptional().describe("Name for messages"),
  },
  { error: "is a file of examples, or a list or function in a module" },
);

/** As TRL's trainer of supervised examples has it. */
const defaultLearningRate = 2e-5;

const exampleFields = schemaOf(exampleShape) as unknown as z.ZodObject;

export const warmStartSettings: z.ZodType<GivenWarmStart> = z.discriminatedUnion("name", [
  z.strictObject(fieldsOf("copying")),
  z.strictObject({
    ...fieldsOf("owners"),
    silence: z
      .enum(["chance", "labelled"])
      .exactOptional()
      .describe("Whose silence examples have: anybody's by chance, or that of all who know nothing"),
  }),
  z.strictObject({
    ...fieldsOf("budgets"),
    form: z.enum(budgetFormNames).exactOptional().describe("How a budget is said in the examples"),
  }),
  z.strictObject({
    ...fieldsOf("examples"),
    examples: referenceSchema.describe("Examples of your own: a file of JSON lines, or a module"),
    learningRate: z.number().positive().default(defaultLearningRate).describe("Learning rate"),
    ...exampleFields.shape,
  }),
]);

/** @throws LaconicError `config_invalid` for a warm start that the task does not need, or that cannot be given here */
export function checkWarmStart({
  warmStart,
  task,
  engine,
}: Pick<AppConfig, "task" | "engine"> & { readonly warmStart: GivenWarmStart | null }): void {
  if (warmStart === null) return;
  const refuse = (reason: string): never => {
    throw settingError("warmStart", reason);
  };
  if (engine !== null)
    refuse("needs a model that computes here; the models of this run are on a server, so set warmStart=null");
  if (warmStart.name === "examples") return;
  const tasks = tasksOf[warmStart.name];
  if (isReference(task) || !tasks.includes(task.name))
    return refuse(`${warmStart.name} is taught for ${tasks.join(" and ")} alone; set warmStart=null`);
  if (
    task.name === "story-budget" &&
    warmStart.name === "budgets" &&
    (task.form ?? "unary") !== (warmStart.form ?? "unary")
  )
    refuse(
      `budgets are said as ${task.form ?? "unary"} in the task, as ${warmStart.form ?? "unary"} in the warm start; set warmStart.form`,
    );
}

/** A sink that has a name, with its settings; what is absent is in the environment, or has a default. */
export type NamedSink =
  | "tensorboard"
  | "wandb"
  /** Offline runs: `wandb sync` sends them. */
  | { readonly wandb: { readonly project?: string; readonly entity?: string } };

export type SinkSetting = NamedSink | Reference;

/** Argument of a function that makes a sink. */
export interface OwnSinkPlace {
  readonly directory: string;
}

export const defaultSinks: readonly SinkSetting[] = ["tensorboard"];

const word = z.string().min(1).exactOptional();

/** Of the key `sinks`; values are references by then. */
export const sinkSettings: z.ZodType<readonly SinkSetting[]> = z.array(
  z.union(
    [
      z.enum(["tensorboard", "wandb"]),
      z.strictObject({
        wandb: z
          .strictObject({ project: word.describe("Project"), entity: word.describe("User or team") })
          .describe("Weights & Biases"),
      }),
      z.custom<Reference>(isReference),
    ],
    {
      error: 'no such sink; "tensorboard", "wandb", { wandb: { project } }, or a file that makes one, "./sink.ts"',
    },
  ),
);
