import type { SamplingName } from "@laconic/core";

/** S segments packed into N rows without padding. Each is a sequence, or continues another segment. */
export interface SequenceLayout {
  /** Length S + 1, from 0 to N. */
  readonly offsets: Int32Array;
  /** `offsets` on the device, int32 [S + 1]. */
  readonly offsetsOnDevice: Tensor;
  /** Max rows of a segment with its ancestors. */
  readonly longest: number;
  /** Absent if every segment is a sequence. */
  readonly tree?: SegmentTree;
}

/**
 * Segments by parent; a segment reads the keys of its ancestors first. Depth-first order, so descendants follow their
 * ancestor. No segment is empty.
 */
export interface SegmentTree {
  /** Length S: an earlier segment, or -1. */
  readonly parents: Int32Array;
  /** `parents` on the device, int32 [S]. */
  readonly parentsOnDevice: Tensor;
}

/** Query head h reads key/value head floor(h * kvHeads / queryHeads); kvHeads divides queryHeads. */
export interface AttentionShape {
  readonly queryHeads: number;
  readonly kvHeads: number;
  readonly headDim: number;
  /** Factor of the scores, usually 1 / sqrt(headDim). */
  readonly scale: number;
}

/** Shape [positions, headDim / 2]; the halves of a head rotate against each other (Hugging Face layout). */
export interface RotaryTables {
  readonly cos: Tensor;
  readonly sin: Tensor;
}

/** Keys and values of one layer. The memory layout depends on the kernel set. */
export interface KeyValueCache {
  readonly pages: number;
  readonly pageSize: number;
  readonly kvHeads: number;
  readonly headDim: number;
}

/**
 * Pages and cached lengths of each sequence of new tokens. Both copies of `table` and `past` may change in place
 * between calls. Sets cache derived data with the plan's tensors.
 */
export interface CachePlan {
  readonly layout: SequenceLayout;
  /**
   * Block table [S, width]: position p of sequence s is in page `table[s * width + floor(p / pageSize)]` at `p mod
   * pageSize`. Shared pages are read-only. A page with new tokens appears once, or in identical sequences of one new
   * token. Unused entries are arbitrary.
   */
  readonly table: Int32Array;
  /** `table` on the device, int32 [S, width]. */
  readonly tableOnDevice: Tensor;
  /** Cached positions per sequence, length S. */
  readonly past: Int32Array;
  readonly pastOnDevice: Tensor;
}

/**
 * Sampling settings per row, length B. Absent and neutral parameters remove nothing; temperature 0 is greedy.
 * Parameters apply in order, each to the previous result. Equal probabilities at a border stay together.
 */
export type SamplingRows = SamplingColumns & {
  readonly temperature: Float32Array;
  /** Uniform number in [0, 1) per row. */
  readonly uniform: Float32Array;
};

type SamplingColumns = { readonly [Name in SamplingName]?: Float32Array | Int32Array };

/** Sampling settings on the device in full precision; see `packSampling`. */
export interface SamplingOnDevice {
  /** `kernelSampling` of each row, [B, columns]. */
  readonly settings: Tensor;
  /** Uniform numbers of W draws, [B, W]. */
  readonly uniforms: Tensor;
  /** Column of this draw. */
  readonly column: number;
  readonly kind: SamplingKind;
}

/** Summary from which the host chooses operations. */
export interface SamplingKind {
  /** Rows with temperature 0. */
  readonly greedy: "none" | "some" | "all";
  /** Some temperature is neither 0 nor 1. */
  readonly tempered: boolean;
  /** Max top-k; 0 if unused. */
  readonly maxK: number;
  /** Some row has top-p below 1 without top-k. */
  readonly openTopP: boolean;
  /** Parameters that remove tokens in some row, in order. */
  readonly cuts: readonly SamplingName[];
}

/** AdamW state of a parameter, in full precision. */
export interface AdamWMoments {
  readonly first: Tensor;
  readonly second: Tensor;
  /** Exact weights of a rounded `param`; only if `roundsWeights` is true. */
  readonly master?: Tensor;
}

/** Tensors of one AdamW update. */
export interface AdamWTensors extends AdamWMoments {
  readonly param: Tensor;
  readonly grad: Tensor;
}

/** Destination of a parameter's gradient; overwritten, or added to if `add`. */
export interface GradientPlace {
  readonly tensor: Tensor;
  readonly add: boolean;
}

/** Gradients that a backward operation writes. */
export interface GradientPlaces {
  readonly dWeight?: GradientPlace;
  readonly dBias?: GradientPlace;
}

/** AdamW (Loshchilov and Hutter 2019), PyTorch's update order. */
export interface AdamWStep {
  readonly learningRate: number;
  readonly beta1: number;
  readonly beta2: number;
  readonly epsilon: number;
  readonly weightDecay: number;
  /** Counts from 1. */
  readonly step: number;
  /** Global-norm clipping. Default: none. */
  readonly clip?: GradientClip;
}

/** Applied on the device, so that the step does not wait for a read. */
export interface GradientClip {
  /** Sum of squares of all gradients, [1], from `sumSquares`. If not finite, nothing changes. */
  readonly squares: Tensor;
  /** Larger gradients are multiplied by maxNorm / norm; may be Infinity. */
  readonly maxNorm: number;
}

/** Handle of a device array of one kernel set. `float` is the set's `dtype`, or full precision where documented. */
export interface Tensor {
  readonly shape: readonly number[];
  readonly dtype: "float" | "int32";
}

/**
 * `working` is the set's `dtype`; `full` is float32, or float64 in the reference set. Full in bfloat16 sets: log-probs,
 * log-sum-exps, reciprocal RMS, sums, parameter gradients, AdamW moments, master weights.
 */
export type Precision = "working" | "full";
