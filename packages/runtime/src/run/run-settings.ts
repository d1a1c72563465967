import { refuseSetting, type LoraSettings } from "@laconic/core";
import type { OptimizerPlace, Recompute } from "@laconic/engine";
import type { TaskSettings } from "@laconic/tasks/named";
import type { TeamName } from "@laconic/tasks/text";
import type { WarmStartSteps, OwnersWarmStart } from "@laconic/tasks/warm-start";
import { exampleShape, type ExampleSettings, type TrainConfig } from "@laconic/trainer";
import { schemaOf } from "@laconic/core/schemas";
import { z } from "zod";
import { isReference, type Reference } from "../resolver/reference.ts";
import type { Placement } from "./placement.ts";
import type { SamplerSettings, RemoteSettings } from "./server-settings.ts";

/** Configuration of a run, as a file has it. */
export interface AppConfig {
  readonly task: RunTask;
  /** `shipped`, `untrained`, a model folder, or `hub:owner/name@revision`. */
  readonly model: string;
  readonly warmStart: WarmStartSettings | null;
  /** Server that trains and samples; null to compute here. `model` then provides the tokenizer. */
  readonly engine: RemoteSettings | null;
  readonly actor: ActorSettings | Reference | null;
  readonly sampler: SamplerSettings | null;
  /** `shared`: one policy for all learning agents. `own`: one each, as adapters with `lora`. */
  readonly policies: "shared" | "own";
  /** Models of single policies, by policy name. */
  readonly bases: Readonly<Record<string, string>>;
  /** Frozen models that objectives compare with, by name (`train.objective.kl.to`). They share the run's tokenizer. */
  readonly teachers: Readonly<Record<string, string>>;
  /**
   * Variables of chat templates, as in transformers' `apply_chat_template`, such as `enable_thinking`. Apply to all
   * local models; templates ignore unknown ones.
   */
  readonly chatTemplateArguments: Readonly<Record<string, unknown>>;
  readonly lora: LoraSettings | null;
  readonly device: string;
  /** Devices of models that are not on `device`. */
  readonly devices: Placement;
  /** Threads per batch; `auto` depends on the device. Rounding depends on it. */
  readonly workers: number | "auto";
  /** Forbids sums in varying order, such as CUDA's atomic ones. Refused on devices that need them. */
  readonly deterministic: boolean;
  readonly memory: MemorySettings;
  readonly sinks: readonly SinkSetting[];
  readonly train: TrainConfig;
}

export type { TaskSettings };

/** A named task, optionally with a custom team, or a custom task. */
export type RunTask = WithReferences<TaskSettings> | Reference;

type WithReferences<Task> = Task extends { readonly team: unknown }
  ? Omit<Task, "team"> & { readonly team: TeamName | Reference | readonly (TeamName | Reference)[] }
  : Task;

export type WarmStartSettings = ExamplesWarmStart | OwnersWarmStart;

export interface ExamplesWarmStart extends WarmStartSteps, Partial<ExampleSettings> {
  readonly name: "examples";
  readonly examples: Reference;
  /** Peak rate, reached after a tenth of the steps; falls to a twentieth. */
  readonly learningRate: number;
}

/** Model of agents that do not learn, at temperature 0. */
export type ActorSettings =
  /** Model folder, or `hub:owner/name@revision`. */
  | { readonly model: string }
  /** OpenAI-compatible server; its key is $OPENAI_API_KEY. */
  | { readonly api: { readonly model: string; readonly baseUrl: string; readonly concurrency?: number } };

/** Memory limits; see `laconic plan`. Rounding depends on the micro-batches. */
export interface MemorySettings {
  /** Bounds the memory of a training pass. */
  readonly maxTokensPerMicroBatch: number;
  /** `layer` stores only each layer's input: less memory, one more forward pass. */
  readonly recompute: Recompute;
  /**
   * `host` copies moments and exact weights to the device one tensor at a time: same bits, 12 bytes less per trained
   * parameter on CUDA and a transfer of 24 per optimizer step. Default `device`.
   */
  readonly optimizer?: OptimizerPlace;
  /** Max GB of caches per worker. Default: three quarters of free memory. */
  readonly cacheGb?: number;
}

const fieldsOf = <Name extends WarmStartSettings["name"]>(name: Name, steps: number) => ({
  name: z.literal(name).describe("Kind of examples"),
  steps: z.int().min(1).default(steps).describe("Optimizer steps"),
  batch: z.int().min(1).default(32).describe("Examples per optimizer step"),
  seed: z
    .union([z.string(), z.int()])
    .transform((seed) => String(seed))
    .exactOptional()
    .describe("Seed of the examples (default: the run's)"),
  model: z.string().min(1).exactOptional().describe("Initial weights instead of the run's"),
});

/** The seed defaults to the run's. */
export type GivenWarmStart = WarmStartSettings extends infer Each
  ? Each extends WarmStartSettings
    ? Omit<Each, "seed"> & Partial<Pick<Each, "seed">>
    : never
  : never;

const referenceSchema: z.ZodType<Reference> = z.strictObject(
  {
    file: z.string().min(1),
    export: z.string().min(1).describe("Name of the export; `default` by default"),
    path: z.array(z.string()).exactOptional().describe("Path within the export"),
    settings: z.record(z.string(), z.unknown()).exactOptional().describe("Arguments of the export"),
    name: z.string().exactOptional().describe("Name for messages"),
  },
  { error: "is a file of examples, or a list or function in a module" },
);

/** Default of TRL's SFT trainer. */
const defaultLearningRate = 2e-5;

const exampleFields = schemaOf(exampleShape) as unknown as z.ZodObject;

export const warmStartSettings: z.ZodType<GivenWarmStart> = z.discriminatedUnion("name", [
  z.strictObject({
    ...fieldsOf("owners", 600),
    silence: z
      .enum(["chance", "labelled"])
      .exactOptional()
      .describe("Silent agents in examples: random, or all that know nothing"),
  }),
  z.strictObject({
    ...fieldsOf("examples", 100),
    examples: referenceSchema.describe("Custom examples: a JSON Lines file, or a module"),
    learningRate: z.number().positive().default(defaultLearningRate).describe("Learning rate"),
    ...exampleFields.shape,
  }),
]);

/** @throws LaconicError `config_invalid` for a warm start that does not fit the task, or a remote engine */
export function checkWarmStart({
  warmStart,
  task,
  engine,
}: Pick<AppConfig, "task" | "engine"> & { readonly warmStart: GivenWarmStart | null }): void {
  if (warmStart === null) return;
  const refuse = (reason: string): never => refuseSetting("warmStart", reason);
  if (engine !== null) refuse("needs a local model, but this run's models are on a server; set warmStart=null");
  if (warmStart.name === "examples") return;
  if (isReference(task) || task.name !== "story-tellers")
    refuse(`${warmStart.name} supports only story-tellers; set warmStart=null`);
}

/** Absent settings come from the environment or have defaults. */
export type NamedSink =
  | "tensorboard"
  | "wandb"
  /** Offline runs; upload them with `wandb sync`. */
  | { readonly wandb: { readonly project?: string; readonly entity?: string } };

export type SinkSetting = NamedSink | Reference;

export interface OwnSinkPlace {
  readonly directory: string;
}

export const defaultSinks: readonly SinkSetting[] = ["tensorboard"];

const word = z.string().min(1).exactOptional();

/** Values are references by now. */
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
      error:
        'unknown sink; expected "tensorboard", "wandb", { wandb: { project } }, or a file that makes one, "./sink.ts"',
    },
  ),
);
