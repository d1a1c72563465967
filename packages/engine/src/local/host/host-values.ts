import type { BaseSource, LogProbsAtOne, ModelSource } from "@laconic/core";
import type { ModelLimits } from "@laconic/core/backends";
import type { GenerationLimits } from "../../generation/generation-limits.ts";
import type { Recompute } from "../../transformer/train-pass.ts";

/** How a host trains and samples. */
export interface HostSettings {
  readonly recompute: Recompute;
  /** Training passes and log-probs go over what sequences share once. */
  readonly sharePrefixes: boolean;
  readonly limits: Partial<GenerationLimits>;
}

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
