import type { LoraSettings } from "@laconic/core";
import type { Recompute } from "@laconic/engine";
import type { TaskSettings } from "@laconic/tasks/named";
import type { TeamName } from "@laconic/tasks/text";
import type { WarmStartSteps, WorldWarmStart } from "@laconic/tasks/warm-start";
import type { ExampleSettings, TrainConfig } from "@laconic/trainer";
import type { Reference } from "../resolver/reference.ts";
import type { SamplerSettings } from "./fleet/fleet-setting.ts";
import type { RemoteSettings } from "./remote/tinker-setting.ts";
import type { SinkSetting } from "../sinks/sink-setting.ts";

/** A run as a configuration file describes it. */
export interface AppConfig {
  readonly task: RunTask;
  /** `shipped` for the app's own warm start, a model folder, or `hub:owner/name@revision` of the Hugging Face hub. */
  readonly model: string;
  /** Supervised warm start of the model before the training; null for none. */
  readonly warmStart: WarmStartSettings | null;
  /** Null computes here; else a server trains and samples, and `model` is where the tokenizer comes from. */
  readonly engine: RemoteSettings | null;
  /** Null: the run's own model as it was before the first step. */
  readonly actor: ActorSettings | Reference | null;
  /** Servers that policies are sampled on while they train here; null samples where they train. */
  readonly sampler: SamplerSettings | null;
  /** `shared`: all agents that learn speak with one policy; `own`: each has its own, an adapter of its own with `lora`. */
  readonly policies: "shared" | "own";
  /** Other models for single policies, by name, each with its own tokenizer; the others begin with `model`. */
  readonly bases: Readonly<Record<string, string>>;
  /** Frozen models that objectives compare with, by name: `objective.kl.to`. They share the run's tokenizer. */
  readonly teachers: Readonly<Record<string, string>>;
  /**
   * Variables of the models' chat templates, as keywords of transformers' `apply_chat_template`: `enable_thinking`, `tools`,
   * ... For all models of the run that compute here; a template that does not know one ignores it.
   */
  readonly chatTemplateArguments: Readonly<Record<string, unknown>>;
  /** Train a low-rank adapter instead of the model's own weights; null trains the weights. */
  readonly lora: LoraSettings | null;
  /** `auto` takes the first device that works. */
  readonly device: string;
  /** Threads that share each batch; `auto` is what suits the device. Part of the run: another number rounds differently. */
  readonly workers: number | "auto";
  /** No sums whose order differs from run to run, as CUDA's atomic ones do; a device that cannot do without is refused. */
  readonly deterministic: boolean;
  readonly memory: MemorySettings;
  /** Where metrics, validation values and transcripts go beside the run's folder; no part of what is computed. */
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

/** On examples of one's own. */
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
