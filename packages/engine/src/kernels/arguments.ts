import type { SamplingName } from "@laconic/core";

/** S segments packed one after the other into N rows, without padding. Each is a sequence of its own, or continues another. */
export interface SequenceLayout {
  /** Length S + 1, from 0 to N. */
  readonly offsets: Int32Array;
  /** The same numbers on the device, int32 [S + 1]. */
  readonly offsetsOnDevice: Tensor;
  /** Rows of the longest sequence: of a segment with all that it continues. */
  readonly longest: number;
  /** Absent where every segment is a sequence. */
  readonly tree?: SegmentTree;
}

/**
 * Which segment continues which: one that does reads the keys of its ancestors before its own. Depth first, so that all
 * that continue a segment, directly or not, are one run of rows behind it. No segment is empty.
 */
export interface SegmentTree {
  /** Length S: an earlier segment, or -1. */
  readonly parents: Int32Array;
  /** The same numbers on the device, int32 [S]. */
  readonly parentsOnDevice: Tensor;
}

/** Grouped-query attention: query head h reads key/value head floor(h * kvHeads / queryHeads); kvHeads divides queryHeads. */
export interface AttentionShape {
  readonly queryHeads: number;
  readonly kvHeads: number;
  readonly headDim: number;
  /** Multiplies the scores, usually 1 / sqrt(headDim). */
  readonly scale: number;
}

/** Rotary tables of shape [positions, headDim / 2]; the two halves of a head rotate against each other (Hugging Face layout). */
export interface RotaryTables {
  readonly cos: Tensor;
  readonly sin: Tensor;
}

/** Keys and values of one layer: `pages` pages of `pageSize` positions each. How they lie is the kernel set's own. */
export interface KeyValueCache {
  readonly pages: number;
  readonly pageSize: number;
  readonly kvHeads: number;
  readonly headDim: number;
}

/**
 * Which pages each packed sequence of new tokens continues, and how much they already hold.
 *
 * Between two calls both copies of `table` and `past` may be changed in place, as when a decode step goes on with the
 * plan of the one before: what a set works out from a tensor of the plan it keeps with that tensor.
 */
export interface CachePlan {
  readonly layout: SequenceLayout;
  /**
   * Block table, [S, width]: position p of sequence s lies in page `table[s * width + floor(p / pageSize)]` at
   * `p mod pageSize`. Pages that several sequences share are read only; those that new tokens go to appear once, or in
   * sequences of one new token that repeat each other in everything. Behind a sequence's last page stands any page.
   */
  readonly table: Int32Array;
  /** The same numbers on the device, int32 [S, width]. */
  readonly tableOnDevice: Tensor;
  /** Positions already cached per sequence; length S. */
  readonly past: Int32Array;
  readonly pastOnDevice: Tensor;
}

/**
 * Per-row sampling settings, length B each: the parameters of `kernelSampling` and uniform numbers. What is absent keeps
 * everything in all rows, as does the neutral value of a parameter; temperature 0 is greedy. They apply in the order of
 * their steps, each to what the one before it left. Equal probabilities at a border stay together.
 */
export type SamplingRows = SamplingColumns & {
  readonly temperature: Float32Array;
  /** One uniform number in [0, 1) per row, drawn by the host. */
  readonly uniform: Float32Array;
};

type SamplingColumns = { readonly [Name in SamplingName]?: Float32Array | Int32Array };

/**
 * The same settings where they stay from step to step: on the device, in full precision. `packSampling` makes both
 * from {@link SamplingRows}.
 */
export interface SamplingOnDevice {
  /** `kernelSampling` of each row, [B, columns]. */
  readonly settings: Tensor;
  /** The uniform numbers of W draws, [B, W]. */
  readonly uniforms: Tensor;
  /** Which of the W this draw takes. */
  readonly column: number;
  readonly kind: SamplingKind;
}

/** What the settings of all rows come to: the host chooses the operations without asking the device. */
export interface SamplingKind {
  /** Rows of temperature 0. */
  readonly greedy: "none" | "some" | "all";
  /** Some temperature is neither 0 nor 1. */
  readonly tempered: boolean;
  /** Largest top-k; 0 where no row has one. */
  readonly maxK: number;
  /** Some row has top-p below 1 and no top-k, so that any number of tokens may count. */
  readonly openTopP: boolean;
  /** Parameters that remove tokens in some row, in the order of their steps. */
  readonly cuts: readonly SamplingName[];
}

/** What AdamW keeps beside a parameter, all in full precision. */
export interface AdamWMoments {
  readonly first: Tensor;
  readonly second: Tensor;
  /** The exact weights of which `param` is the rounded copy; sets for which `roundsWeights` is true need it, others are given none. */
  readonly master?: Tensor;
}

/** A parameter, its gradient, and what AdamW keeps beside it. */
export interface AdamWTensors extends AdamWMoments {
  readonly param: Tensor;
  readonly grad: Tensor;
}

/** Where the gradient of a parameter goes: over what the tensor holds, or on top of it. */
export interface GradientPlace {
  readonly tensor: Tensor;
  readonly add: boolean;
}

/** Places for the gradients that a backward operation makes of parameters. */
export interface GradientPlaces {
  readonly dWeight?: GradientPlace;
  readonly dBias?: GradientPlace;
}

/** AdamW with decoupled decay (Loshchilov and Hutter 2019), PyTorch's update order. */
export interface AdamWStep {
  readonly learningRate: number;
  readonly beta1: number;
  readonly beta2: number;
  readonly epsilon: number;
  readonly weightDecay: number;
  /** Counts from 1. */
  readonly step: number;
  /** Clipping by the global norm; absent, gradients are taken as they are. */
  readonly clip?: GradientClip;
}

/** The device applies it by itself: nobody has to read the norm before the step. */
export interface GradientClip {
  /** Sum of squares of all gradients, [1], as `sumSquares` gives it. Where it is not finite, nothing changes. */
  readonly squares: Tensor;
  /** Gradients are multiplied by maxNorm / norm where their norm is larger; may be Infinity. */
  readonly maxNorm: number;
}

/**
 * Opaque handle of an array on a device. Only its own kernel set reads it.
 * `float` is the set's working precision (its `dtype`), or full precision where the contract says so.
 */
export interface Tensor {
  readonly shape: readonly number[];
  readonly dtype: "float" | "int32";
}

/**
 * `working` is the set's `dtype`; `full` is float32, or float64 in the reference set. They differ in bfloat16 sets, where log-probs, log-sum-exps, reciprocal RMS, sums, gradients of
 * parameters, AdamW moments and master weights are full.
 */
export type Precision = "working" | "full";
