import type { DrawnToken, LogProbsAtOne, SamplingSettings, TokenTrace } from "./language-model.ts";
import type { SamplingName } from "./sampling.ts";
import type { OptimizerSettings } from "./optimizer-settings.ts";
import type { RandomState } from "./numeric/random.ts";
import { group, type GroupShape } from "./shapes/shape.ts";
import type { Ragged } from "./numeric/ragged.ts";
import type { TokenBytes } from "./tokenizer.ts";

/** Capabilities of an engine, recorded with every run. */
export interface EngineCapabilities {
  readonly kind: "local" | "remote";
  /** Such as `wasm` or `cuda`. */
  readonly device: string;
  readonly backend: string;
  readonly dtype: "float32" | "bfloat16" | "float64";
  /** Same inputs give the same bits. */
  readonly deterministic: boolean;
  /** Same bits in any batch; otherwise within rounding. */
  readonly batchInvariant: boolean;
  readonly workers: number;
  readonly scalarHeads: boolean;
}

/** Low-rank adapters on frozen weights (Hu et al. 2021); names and defaults as in PEFT. */
export interface LoraSettings {
  /** r: inner width of each matrix pair. */
  readonly rank: number;
  /** Factor of the update: alpha / rank, or alpha / sqrt(rank) with `rankStabilized`. */
  readonly alpha: number;
  /** Adapted projections, such as `q_proj`. Default: all of a layer. */
  readonly targets?: readonly string[];
  /** Share of adapter inputs set to 0 in training. Default 0. */
  readonly dropout?: number;
  /** rsLoRA (Kalajdzievski 2023). */
  readonly rankStabilized?: boolean;
}

/** Shape of {@link LoraSettings}. */
export const loraShape: GroupShape<LoraSettings> = group<LoraSettings>({
  rank: { help: "Rank of the adapter", shape: "positive" },
  alpha: { help: "Scale of the adapter, divided by its rank", shape: "above0" },
  targets: {
    help: "Which linear layers have an adapter",
    shape: { kind: "list", of: "text", least: 1 },
    optional: true,
  },
  dropout: { help: "Share of inputs that are dropped in training", shape: "shareBelow1", optional: true },
  rankStabilized: { help: "Divides alpha by the root of the rank", shape: "boolean", optional: true },
});

/** Stored weights: a checkpoint folder, or a configuration with random weights. */
export type BaseSource =
  | { readonly kind: "folder"; readonly path: string }
  | { readonly kind: "config"; readonly config: Readonly<Record<string, unknown>>; readonly seed: string | number };

/** New adapter on a base, or one from a PEFT folder. Models on equal bases share its weights. */
export type AdapterSource =
  | {
      readonly kind: "adapter";
      readonly base: BaseSource;
      readonly lora: LoraSettings;
      readonly seed: string | number;
    }
  | { readonly kind: "adapter-folder"; readonly base: BaseSource; readonly path: string };

/** Source of a trainable model. */
export type ModelSource = BaseSource | AdapterSource;

/** Prompt with its sampled tokens. */
export interface TrainingSequence {
  readonly promptTokens: readonly number[];
  readonly completionTokens: readonly number[];
  /** Sampling temperature. Default 1. */
  readonly temperature?: number;
}

/** Values per completion token. */
export interface SequenceLogProbs {
  /** log π of each completion token. */
  readonly logProbs: Ragged;
  /** Entropy in nats of each token's distribution. */
  readonly entropy: Ragged;
  /** Shared prefixes count once; missing if not reported. */
  readonly rowsPassed?: number;
  /** Set if `entropy` is -log π of each token, unbiased for tokens sampled from π. */
  readonly entropyIsEstimate?: true;
  readonly atOne?: readonly (readonly LogProbsAtOne[])[];
}

/** Optional outputs of a forward pass. */
export interface ForwardOptions {
  /** 0 returns log-probs only. */
  readonly topLogProbs?: number;
}

/** Called once per micro-batch; returns d loss / d log π in the same layout. */
export type TokenGradient = (logProbs: Ragged, rows: readonly number[]) => Float64Array;

/** Result of an optimizer step. */
export interface OptimizerResult {
  /** Global L2 norm before clipping. */
  readonly gradNorm: number;
  /** False without a gradient, or if its norm overflowed. */
  readonly applied: boolean;
  /** Steps so far, including this one. */
  readonly step: number;
}

/** Texts that end a reply, with the tokens' bytes. */
export interface StopTexts {
  readonly texts: readonly string[];
  readonly tokenBytes: TokenBytes;
}

/** Request for one reply to a tokenised prompt. */
export interface SampleRequest {
  readonly promptTokens: readonly number[];
  readonly sampling: Omit<SamplingSettings, "stop">;
  /** Tokens that end the reply; kept in the trace. */
  readonly stopTokens: readonly number[];
  readonly stopSequences?: readonly (readonly number[])[];
  /** Ends at the token that completes one, across token borders. */
  readonly stopTexts?: StopTexts;
  readonly random: RandomState;
  readonly topLogProbs?: number;
  /** Requests with the same value share cached prefixes until the weights change. Default: no cache. */
  readonly conversation?: string;
  readonly signal?: AbortSignal;
}

/** Sampled reply with log-probs and finish reason. */
export interface SampleResult extends TokenTrace {
  readonly finishReason: "stop" | "length" | "aborted";
}

/** Called for each drawn token; `request` is the index in the batch. */
export type TokenListener = (request: number, drawn: DrawnToken) => void;

/** Weights that can sample. */
export interface Sampler {
  readonly weightVersion: number;
  /** Missing if unknown. */
  readonly supports?: readonly SamplingName[];
  /**
   * Samples all requests as one batch. Without `capabilities.batchInvariant`, concurrent calls can change the last bits
   * of a log-prob.
   */
  sample(requests: readonly SampleRequest[], onToken?: TokenListener): Promise<readonly SampleResult[]>;
  forward(sequences: readonly TrainingSequence[], options?: ForwardOptions): Promise<SequenceLogProbs>;
}

/** Frozen copy of the weights, the old policy π_old. */
export interface PolicySnapshot extends Sampler {
  dispose(): Promise<void>;
}

/** Model with its optimizer. Calls run in order. */
export interface TrainableModel extends Sampler {
  readonly id: string;
  /** Includes frozen ones. */
  readonly parameters: number;
  readonly trainableParameters: number;
  /** Max tokens of prompt and reply together. */
  readonly contextLength: number;
  /**
   * Adds to the gradient; a failed call discards the gradient since the last step.
   * @throws LaconicError `numeric_invalid`
   */
  forwardBackward(sequences: readonly TrainingSequence[], tokenGradient: TokenGradient): Promise<SequenceLogProbs>;
  /** Applies AdamW to the accumulated gradient, then clears it. */
  optimStep(settings: OptimizerSettings): Promise<OptimizerResult>;
  snapshot(): Promise<PolicySnapshot>;
  /** Writes weights, optimizer state and configuration into an existing folder. */
  save(folder: string): Promise<readonly string[]>;
  /** @throws LaconicError `weights_invalid`, `checkpoint_missing` */
  load(folder: string): Promise<void>;
  dispose(): Promise<void>;
}

/** Tokens to value. */
export interface ValueSequence {
  readonly tokens: readonly number[];
  /** Default: the last token only. */
  readonly from?: number;
}

/** {@link TokenGradient} of values. */
export type ValueGradient = (values: Ragged, rows: readonly number[]) => Float64Array;

/** Weights that training changes and checkpoints store. */
export type StoredWeights = Pick<TrainableModel, "trainableParameters" | "save" | "load">;

/**
 * Transformer with a scalar head over the final hidden states: Hugging Face's `score.weight`, without bias. Calls run
 * in order.
 */
export interface ValueModel
  extends
    StoredWeights,
    Pick<TrainableModel, "id" | "parameters" | "contextLength" | "weightVersion" | "optimStep" | "dispose"> {
  /** A new head is all zeros, so that every value is 0. */
  readonly hasStoredHead: boolean;
  /**
   * Returns values from token `from` on.
   * @throws LaconicError `input_invalid`
   */
  forward(sequences: readonly ValueSequence[]): Promise<Ragged>;
  forwardBackward(sequences: readonly ValueSequence[], valueGradient: ValueGradient): Promise<Ragged>;
}

/**
 * Layers under a scalar head: separate ones, or the current layers of a policy on the same engine. Values never change
 * a policy's layers.
 */
export type ValueSource = BaseSource | { readonly kind: "trunk"; readonly policy: TrainableModel };

/** Options of a model with a scalar head. */
export interface ValueModelOptions {
  /** `head` trains and saves only the head; required on a policy's layers. Default `all` on separate layers. */
  readonly train?: "all" | "head";
  readonly signal?: AbortSignal;
}

/** Engine with any number of trainable models. */
export interface Engine {
  readonly capabilities: EngineCapabilities;
  /** @throws LaconicError `aborted`; everything created so far is freed */
  createModel(source: ModelSource, options?: { readonly signal?: AbortSignal }): Promise<TrainableModel>;
  /** @throws LaconicError `model_unsupported` without `capabilities.scalarHeads`, or for another engine's policy */
  createValueModel(source: ValueSource, options?: ValueModelOptions): Promise<ValueModel>;
  /** Bytes in use on the fullest GPU, by all processes; null if unknown. */
  deviceBytes?(): Promise<number | null>;
  close(): Promise<void>;
}

/** Resources that a run opens for a user's value. */
export interface ModelResources {
  /**
   * Opens a model with a scalar head: separate layers by model name, or the policy's.
   * @throws LaconicError `model_unsupported`
   */
  openValueModel(
    layers: string | { readonly of: "policy" },
    options?: ValueModelOptions,
  ): Promise<{ readonly model: ValueModel; readonly encode: (text: string) => readonly number[] }>;
}
