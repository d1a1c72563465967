import type {
  BaseSource,
  EngineCapabilities,
  ForwardOptions,
  LogProbsAtOne,
  ModelSource,
  OptimizerResult,
  OptimizerSettings,
  SampleRequest,
  SampleResult,
  TrainingSequence,
} from "@laconic/core";
import type { ModelLimits } from "@laconic/core/backends";
import type { DrawnListener } from "../../generation/drawn-tokens.ts";
import type { GradientExchange } from "../replicas/gradient-exchange.ts";

/** Names a frozen copy of a model's weights; `live` is the policy being trained. */
export type WeightsId = "live" | number;

/** What the head says of M predicted tokens, sequence after sequence. */
export interface HostOutputs {
  /** log π of each; under a scalar head the value of the state that each is predicted from. */
  readonly outputs: Float64Array;
  /** Of the distributions; nothing under a scalar head. */
  readonly entropy: Float64Array;
  /** Length S + 1. */
  readonly offsets: Int32Array;
  /** Rows that were passed: tokens of the sequences, shared ones once. */
  readonly rows: number;
  /** One entry per predicted token, where they were asked for. */
  readonly atOne?: readonly LogProbsAtOne[];
}

/** What the calling side must know of a model. */
export interface ModelFacts {
  /** Number of parameters. */
  readonly parameters: number;
  /** Those that training changes. */
  readonly trainableParameters: number;
  readonly weightVersion: number;
  readonly limits: ModelLimits;
  /** Of a model with a scalar head: whether its source had one. */
  readonly hasStoredHead?: boolean;
}

/** What a host makes models of: a source of the engine's, or a scalar head over own layers, or over those of one of its models. */
export type HostSource =
  | ModelSource
  | { readonly kind: "scalar"; readonly layers: BaseSource; readonly trainsHeadAlone: boolean }
  | { readonly kind: "scalar-on"; readonly model: number };

/** What a host says of its kernels. */
export type HostCapability = "device" | "backend" | "dtype" | "deterministic" | "batchInvariant";

/**
 * One replica of the engine: holds kernels and models, on its own thread or in this one.
 * Plain data in, plain data out; calls on one host run one after the other,
 * but samples of one model together.
 */
export interface EngineHost {
  describe(): Promise<Pick<EngineCapabilities, HostCapability>>;
  create(model: number, source: HostSource): Promise<ModelFacts>;
  /** Sequences and requests have been checked against the model's limits. */
  forward(
    model: number,
    weights: WeightsId,
    sequences: readonly TrainingSequence[],
    options: ForwardOptions,
  ): Promise<HostOutputs>;
  /**
   * Runs forward and keeps the activations for `backward`.
   * `device_out_of_memory` leaves nothing behind.
   * `numbers` count the sequences since the last optimiser step, whatever micro-batch they are in: dropout draws by them.
   */
  forwardForGradient(
    model: number,
    sequences: readonly TrainingSequence[],
    numbers: readonly number[],
  ): Promise<HostOutputs>;
  /**
   * Back-propagates d loss / d output of the kept forward pass and adds to the gradient. Null, or the tokens of the
   * largest part that fitted where the device had no room for the whole.
   */
  backward(model: number, dOutputs: Float64Array): Promise<number | null>;
  /** Forgets the kept forward pass and the gradient added up so far. */
  discardGradient(model: number): Promise<void>;
  /** Writes this replica's summed gradient into its slot; false when nothing was back-propagated since the last step. */
  exportGradient(model: number, exchange: GradientExchange, replica: number): Promise<boolean>;
  /** Sums this replica's share of all slots, once every replica has exported; the step comes after every share. */
  sumGradients(exchange: GradientExchange, replica: number): Promise<void>;
  /** Steps on the sum of all slots, or on its own gradient when there is no exchange; clears the gradient. */
  optimStep(model: number, settings: OptimizerSettings, exchange: GradientExchange | null): Promise<OptimizerResult>;
  /** Joins the batch that runs. `call` names it to `cancel`; requests carry no signal. */
  sample(
    model: number,
    weights: WeightsId,
    requests: readonly SampleRequest[],
    call: number,
    onDrawn?: DrawnListener,
  ): Promise<SampleResult[]>;
  /** Ends one request of a call at its next token; too late, it does nothing. */
  cancel(model: number, call: number, place: number): Promise<void>;
  snapshot(model: number): Promise<{ readonly snapshot: number; readonly weightVersion: number }>;
  disposeSnapshot(model: number, snapshot: number): Promise<void>;
  save(model: number, folder: string): Promise<readonly string[]>;
  load(model: number, folder: string): Promise<{ readonly weightVersion: number }>;
  disposeModel(model: number): Promise<void>;
  close(): Promise<void>;
}
