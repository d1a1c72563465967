import type { DrawnToken, LogProbsAtOne, SamplingSettings, TokenTrace } from "./language-model.ts";
import type { SamplingName } from "./sampling.ts";
import type { OptimizerSettings } from "./optimizer-settings.ts";
import type { RandomState } from "./numeric/random.ts";
import { group, shapes, type GroupShape } from "./shapes/shape.ts";
import type { Ragged } from "./numeric/ragged.ts";
import type { TokenBytes } from "./tokenizer.ts";

/** What an engine can do, recorded with every run. */
export interface EngineCapabilities {
  readonly kind: "local" | "remote";
  /** `wasm`, `cuda`, ... */
  readonly device: string;
  /** Library and version behind the device. */
  readonly backend: string;
  readonly dtype: "float32" | "bfloat16" | "float64";
  /** Same inputs give the same bits. */
  readonly deterministic: boolean;
  /** A reply and its log-probs are the same bits whatever else is in the batch; otherwise they agree within rounding. */
  readonly batchInvariant: boolean;
  /** Worker threads or processes that share the batch. */
  readonly workers: number;
  /** `createValueModel` gives models; otherwise it refuses by name. */
  readonly scalarHeads: boolean;
}

/** Low-rank adapters on frozen weights (Hu et al. 2021); names and defaults as in PEFT. */
export interface LoraSettings {
  /** r: inner width of each pair of matrices. */
  readonly rank: number;
  /** The update counts alpha / rank times, or alpha / sqrt(rank) with `rankStabilized`. */
  readonly alpha: number;
  /** Projections that are adapted, such as `q_proj`; all seven of a layer when absent. */
  readonly targets?: readonly string[];
  /** Share of an adapter's inputs that training passes set to 0; 0 when absent. */
  readonly dropout?: number;
  /** rsLoRA (Kalajdzievski 2023). */
  readonly rankStabilized?: boolean;
}

/** Shape of {@link LoraSettings}. */
export const loraShape: GroupShape<LoraSettings> = group<LoraSettings>({
  rank: { help: "Rank of the adapter", shape: shapes.positive },
  alpha: { help: "Scale of the adapter, divided by its rank", shape: shapes.above0 },
  targets: {
    help: "Which linear layers have an adapter",
    shape: { kind: "list", of: shapes.text, least: 1 },
    optional: true,
  },
  dropout: {
    help: "Share of inputs that are dropped in training",
    shape: { kind: "number", min: 0, below: 1 },
    optional: true,
  },
  rankStabilized: { help: "Divides alpha by the root of the rank", shape: shapes.boolean, optional: true },
});

/** Stored weights: a checkpoint folder, or a configuration with random weights. */
export type BaseSource =
  | { readonly kind: "folder"; readonly path: string }
  | { readonly kind: "config"; readonly config: Readonly<Record<string, unknown>>; readonly seed: string | number };

/** A new adapter on a base, or one from a folder in PEFT's format. Models on equal bases share its weights. */
export type AdapterSource =
  | {
      readonly kind: "adapter";
      readonly base: BaseSource;
      readonly lora: LoraSettings;
      readonly seed: string | number;
    }
  | { readonly kind: "adapter-folder"; readonly base: BaseSource; readonly path: string };

/** Where a trainable model starts. */
export type ModelSource = BaseSource | AdapterSource;

/** One training sequence: a prompt and the tokens that were sampled after it. */
export interface TrainingSequence {
  readonly promptTokens: readonly number[];
  readonly completionTokens: readonly number[];
  /** Softmax temperature the tokens were sampled at; 1 when absent. */
  readonly temperature?: number;
}

/** Per completion token, in the order of the sequences. */
export interface SequenceLogProbs {
  /** log π of each completion token. */
  readonly logProbs: Ragged;
  /** Entropy in nats of the distribution each token was drawn from. */
  readonly entropy: Ragged;
  /** Tokens that the passes computed: shared prefixes count once. Absent if the engine does not report it. */
  readonly rowsPassed?: number;
  /** Set if the engine cannot compute entropies: they are then -log π of each token, unbiased for tokens sampled from π. */
  readonly entropyIsEstimate?: true;
  /** On request: one entry per completion token of each sequence. */
  readonly atOne?: readonly (readonly LogProbsAtOne[])[];
}

/** Optional outputs of a forward pass. */
export interface ForwardOptions {
  /** Asks for log-probs at temperature 1 and this many of the likeliest tokens per position; 0 asks for the log-probs alone. */
  readonly topLogProbs?: number;
}

/**
 * Called by the engine between forward and backward, once per micro-batch: gets the batch rows of the micro-batch and
 * their log-probs, returns d loss / d log π in the same layout.
 */
export type TokenGradient = (logProbs: Ragged, rows: readonly number[]) => Float64Array;

/** What an optimiser step did. */
export interface OptimizerResult {
  /** Global L2 norm before clipping. */
  readonly gradNorm: number;
  /** False when there was no gradient, or its norm overflowed on the device: weights stay as they were. */
  readonly applied: boolean;
  /** Optimiser steps taken, this one included. */
  readonly step: number;
}

/** Texts that end a reply, and how its tokens spell. */
export interface StopTexts {
  readonly texts: readonly string[];
  readonly tokenBytes: TokenBytes;
}

/** Asks a policy for one reply to a prompt of token ids. */
export interface SampleRequest {
  readonly promptTokens: readonly number[];
  readonly sampling: Omit<SamplingSettings, "stop">;
  /** Sampling any of these ends the reply; it is kept in the trace. */
  readonly stopTokens: readonly number[];
  /** Token sequences that end the reply once written. */
  readonly stopSequences?: readonly (readonly number[])[];
  /** Texts that end the reply with the token that completes one of them, whatever the token borders. */
  readonly stopTexts?: StopTexts;
  readonly random: RandomState;
  /** As {@link ForwardOptions.topLogProbs}. */
  readonly topLogProbs?: number;
  /** Requests of one conversation reuse each other's cached prefixes while the weights stay; without it nothing is cached. */
  readonly conversation?: string;
  /** Ends the request at its next token, with the tokens so far. */
  readonly signal?: AbortSignal;
}

/** A sampled reply with its log-probs, and why it ended. */
export interface SampleResult extends TokenTrace {
  readonly finishReason: "stop" | "length" | "aborted";
}

/** Called with each token as it is drawn; `request` is the index in the batch. */
export type TokenListener = (request: number, drawn: DrawnToken) => void;

/** Weights that can be asked: the live policy, or a frozen copy. */
export interface Sampler {
  readonly weightVersion: number;
  /** Supported sampling parameters; others are rejected by name. Absent if unknown. */
  readonly supports?: readonly SamplingName[];
  /**
   * Serves all requests as one batch and shares prompt prefixes. A concurrent call joins the running batch; without
   * `capabilities.batchInvariant` this can change the last bits of a log-prob.
   */
  sample(requests: readonly SampleRequest[], onToken?: TokenListener): Promise<readonly SampleResult[]>;
  forward(sequences: readonly TrainingSequence[], options?: ForwardOptions): Promise<SequenceLogProbs>;
}

/** A frozen copy of the weights, the old policy π_old. */
export interface PolicySnapshot extends Sampler {
  dispose(): Promise<void>;
}

/** A model with its optimiser. Calls run in the order they were made. */
export interface TrainableModel extends Sampler {
  readonly id: string;
  /** Number of parameters, frozen ones included. */
  readonly parameters: number;
  /** Parameters that training changes: all, or the adapter's. */
  readonly trainableParameters: number;
  /** Most tokens of prompt and reply together. */
  readonly contextLength: number;
  /**
   * Runs forward, asks for the token gradient, runs backward and adds to the gradient.
   * @returns the outputs of forward
   * @throws LaconicError `numeric_invalid` for a token gradient that is not finite; a failed call discards the gradient
   * accumulated since the last step
   */
  forwardBackward(sequences: readonly TrainingSequence[], tokenGradient: TokenGradient): Promise<SequenceLogProbs>;
  /** AdamW on the accumulated gradient, which is then cleared. */
  optimStep(settings: OptimizerSettings): Promise<OptimizerResult>;
  snapshot(): Promise<PolicySnapshot>;
  /** Writes weights, optimiser state and configuration into an existing folder; returns the file names. */
  save(folder: string): Promise<readonly string[]>;
  /** Continues from `save`. @throws LaconicError `weights_invalid`, `checkpoint_missing`. */
  load(folder: string): Promise<void>;
  dispose(): Promise<void>;
}

/** Tokens whose states are valued. */
export interface ValueSequence {
  readonly tokens: readonly number[];
  /** Position of the first valued token, from 0; default the last token alone. */
  readonly from?: number;
}

/** As {@link TokenGradient}, of values: returns d loss / d value in the same layout. */
export type ValueGradient = (values: Ragged, rows: readonly number[]) => Float64Array;

/** Weights that training changes and checkpoints store. */
export type StoredWeights = Pick<TrainableModel, "trainableParameters" | "save" | "load">;

/**
 * A transformer with a scalar head over the final hidden states, for a critic or a reward model. The head is `score.weight`
 * of sequence classification in Hugging Face checkpoints, without bias. Calls run in the order they were made.
 */
export interface ValueModel
  extends
    StoredWeights,
    Pick<TrainableModel, "id" | "parameters" | "contextLength" | "weightVersion" | "optimStep" | "dispose"> {
  /** Whether its source had a head. A new head is zeros, so that every value is 0. */
  readonly hasStoredHead: boolean;
  /**
   * Values of the tokens of each sequence from `from` on. A value depends on its token and those before it.
   * @throws LaconicError `input_invalid` naming the sequence, and the position of a token outside the vocabulary
   */
  forward(sequences: readonly ValueSequence[]): Promise<Ragged>;
  /** As {@link TrainableModel.forwardBackward}, for values. */
  forwardBackward(sequences: readonly ValueSequence[], valueGradient: ValueGradient): Promise<Ragged>;
}

/**
 * Layers under a scalar head: separate ones from a base, or those of a policy on the same engine as they are at each call.
 * Values never change a policy's layers.
 */
export type ValueSource = BaseSource | { readonly kind: "trunk"; readonly policy: TrainableModel };

/** What a model with a scalar head learns. */
export interface ValueModelOptions {
  /** `head` neither trains nor saves the layers, and is the only choice on a policy's layers. Default `all` on separate layers. */
  readonly train?: "all" | "head";
  readonly signal?: AbortSignal;
}

/** Several trainable models live side by side in one engine. */
export interface Engine {
  readonly capabilities: EngineCapabilities;
  /** @throws LaconicError `aborted` as soon as the signal aborts; everything created so far is freed */
  createModel(source: ModelSource, options?: { readonly signal?: AbortSignal }): Promise<TrainableModel>;
  /** @throws LaconicError `model_unsupported` if `capabilities.scalarHeads` is false, or for a policy of another engine */
  createValueModel(source: ValueSource, options?: ValueModelOptions): Promise<ValueModel>;
  close(): Promise<void>;
}

/** What a run opens for a user's value that computes with a model. */
export interface ModelResources {
  /**
   * A model with a scalar head and its tokenizer: separate layers, by the name that configurations give models, or a head on
   * the layers of the policy.
   * @throws LaconicError `model_unsupported` on an engine without scalar heads
   */
  openValueModel(
    layers: string | { readonly of: "policy" },
    options?: ValueModelOptions,
  ): Promise<{ readonly model: ValueModel; readonly encode: (text: string) => readonly number[] }>;
}
