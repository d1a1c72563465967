import type { LoraSettings } from "@laconic/core";
import type { Recompute } from "@laconic/engine";
import type { TaskSettings } from "@laconic/tasks/named";
import type { TrainConfig } from "@laconic/trainer";

/** A run as a configuration file describes it. */
export interface AppConfig {
  readonly task: TaskSettings;
  /** `shipped` for the app's own warm start, a model folder, or `hub:owner/name@revision` of the Hugging Face hub. */
  readonly model: string;
  /** Null: the run's own model as it was before the first step. */
  readonly actor: ActorSettings | null;
  /** `shared`: all agents that learn speak with one policy; `own`: each has its own, an adapter of its own with `lora`. */
  readonly policies: "shared" | "own";
  /** Other models for single policies, by name, each with its own tokenizer; the others begin with `model`. */
  readonly bases: Readonly<Record<string, string>>;
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
  readonly memory: MemorySettings;
  readonly train: TrainConfig;
}

export type { TaskSettings };

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
}
