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
