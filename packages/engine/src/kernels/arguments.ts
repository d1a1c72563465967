import type { SamplingName } from "@laconic/core";

/** S segments packed into N rows without padding. */
export interface SequenceLayout {
  /** Length S + 1, from 0 to N. */
  readonly offsets: Int32Array;
  /** int32 [S + 1]. */
  readonly offsetsOnDevice: Tensor;
  /** Max rows of a segment with ancestors. */
  readonly longest: number;
  /** Default: every segment is a sequence. */
  readonly tree?: SegmentTree;
}

/** Segments by parent, depth first; a segment reads its ancestors' keys first. No segment is empty. */
export interface SegmentTree {
  /** Length S: an earlier segment, or -1. */
  readonly parents: Int32Array;
  /** int32 [S]. */
  readonly parentsOnDevice: Tensor;
}

/** Query head h reads key/value head floor(h * kvHeads / queryHeads); kvHeads divides queryHeads. */
export interface AttentionShape {
  readonly queryHeads: number;
  readonly kvHeads: number;
  readonly headDim: number;
  /** Usually 1 / sqrt(headDim). */
  readonly scale: number;
}

/** Activation x sigmoid(slope x + cubic x^3). */
export interface GateCurve {
  readonly slope: number;
  readonly cubic: number;
}

/** By name in config.json. GELU is the tanh form; squared ReLU, with up = gate, has a ReLU exact to 3e-7. */
export const gateCurves: Readonly<Record<"silu" | "gelu_pytorch_tanh" | "relu2", GateCurve>> = {
  silu: { slope: 1, cubic: 0 },
  gelu_pytorch_tanh: { slope: Math.sqrt(8 / Math.PI), cubic: 0.044715 * Math.sqrt(8 / Math.PI) },
  relu2: { slope: 2 ** 20, cubic: 0 },
};

/** True for the curve without a bend, which libraries fuse. */
export function isSilu({ slope, cubic }: GateCurve): boolean {
  return slope === 1 && cubic === 0;
}

/** [positions, headDim / 2]; the halves of a head rotate against each other (Hugging Face layout). */
export interface RotaryTables {
  readonly cos: Tensor;
  readonly sin: Tensor;
}

/** Keys and values of one layer; the set chooses the layout. */
export interface KeyValueCache {
  readonly pages: number;
  readonly pageSize: number;
  readonly kvHeads: number;
  readonly headDim: number;
}

/**
 * Pages and cached lengths of each sequence. `table` and `past` may change in place between calls. Sets cache derived
 * data with the plan's tensors.
 */
export interface CachePlan {
  readonly layout: SequenceLayout;
  /**
   * Block table [S, width]: position p of sequence s is in page `table[s * width + floor(p / pageSize)]` at `p mod
   * pageSize`. Shared pages are read-only. A page with new tokens appears once, or in identical sequences of one new
   * token. Unused entries are arbitrary.
   */
  readonly table: Int32Array;
  /** int32 [S, width]. */
  readonly tableOnDevice: Tensor;
  /** Cached positions, length S. */
  readonly past: Int32Array;
  readonly pastOnDevice: Tensor;
}

/**
 * Sampling settings per row, length B. Absent and neutral parameters remove nothing; temperature 0 is greedy.
 * Parameters apply in order. Equal probabilities at a border stay together.
 */
export type SamplingRows = SamplingColumns & {
  readonly temperature: Float32Array;
  /** Uniform number in [0, 1) per row. */
  readonly uniform: Float32Array;
};

type SamplingColumns = { readonly [Name in SamplingName]?: Float32Array | Int32Array };

/** Full precision; see `packSampling`. */
export interface SamplingOnDevice {
  /** `kernelSampling`, [B, columns]. */
  readonly settings: Tensor;
  /** W draws, [B, W]. */
  readonly uniforms: Tensor;
  readonly column: number;
  readonly kind: SamplingKind;
}

/** Summary from which the host chooses operations. */
export interface SamplingKind {
  /** Rows with temperature 0. */
  readonly greedy: "none" | "some" | "all";
  /** Neither 0 nor 1. */
  readonly tempered: boolean;
  /** 0 if unused. */
  readonly maxK: number;
  /** Top-p below 1 without top-k. */
  readonly openTopP: boolean;
  readonly cuts: readonly SamplingName[];
}

/** AdamW state of a parameter, in full precision. */
export interface AdamWMoments {
  readonly first: Tensor;
  readonly second: Tensor;
  /** Exact weights of a rounded `param`, if `roundsWeights`. */
  readonly master?: Tensor;
}

/** Tensors of one AdamW update. */
export interface AdamWTensors extends AdamWMoments {
  readonly param: Tensor;
  readonly grad: Tensor;
}

/** Overwritten, or added to if `add`. */
export interface GradientPlace {
  readonly tensor: Tensor;
  readonly add: boolean;
}

/** Gradients of a backward operation. */
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
  /** Default: none. */
  readonly clip?: GradientClip;
}

/** Applied on the device, without a read. */
export interface GradientClip {
  /** Sum of squares of all gradients, [1], from `sumSquares`. If not finite, nothing changes. */
  readonly squares: Tensor;
  /** Larger gradients are multiplied by maxNorm / norm. */
  readonly maxNorm: number;
}

/** Handle of a device array. `float` is the set's `dtype`, or full precision where documented. */
export interface Tensor {
  readonly shape: readonly number[];
  readonly dtype: "float" | "int32";
}

/**
 * `working` is the set's `dtype`; `full` is float32, or float64 in the reference set. Full in bfloat16 sets:
 * log-probs, log-sum-exps, reciprocal RMS, sums, parameter gradients, moments, master weights.
 */
export type Precision = "working" | "full";
