import type { Tensor } from "./tensor.ts";

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
