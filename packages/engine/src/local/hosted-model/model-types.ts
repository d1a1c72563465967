import type { BaseSource, LogProbsAtOne, ModelSource } from "@laconic/core";
import type { ModelLimits } from "@laconic/core/backends";
import type { GenerationLimits } from "../../generation/running-batch.ts";
import type { OptimizerPlace } from "../../optimizer/adamw.ts";
import type { Recompute } from "../../transformer/train-pass.ts";

export interface HostSettings {
  readonly recompute: Recompute;
  readonly optimizer: OptimizerPlace;
  readonly sharePrefixes: boolean;
  readonly limits: Partial<GenerationLimits>;
}

export type WeightsId = "live" | number;

/** Outputs for M predicted tokens. */
export interface HostOutputs {
  /** Log-probs, or values of the state before each token. */
  readonly outputs: Float64Array;
  /** Empty with a scalar head. */
  readonly entropy: Float64Array;
  readonly offsets: Int32Array;
  /** Shared tokens count once. */
  readonly rows: number;
  readonly atOne?: readonly LogProbsAtOne[];
  /** Rows of the largest part, if memory was short. */
  readonly fitted?: number;
}

export interface ModelFacts {
  readonly parameters: number;
  readonly trainableParameters: number;
  readonly weightVersion: number;
  readonly limits: ModelLimits;
  readonly hasStoredHead?: boolean;
}

export type HostSource =
  | ModelSource
  | { readonly kind: "scalar"; readonly layers: BaseSource; readonly trainsHeadAlone: boolean }
  | { readonly kind: "scalar-on"; readonly model: number };
