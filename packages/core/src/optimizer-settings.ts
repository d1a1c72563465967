import { configError } from "./errors.ts";
import { findShapeMismatch, rangeOf } from "./shapes/find-shape-mismatch.ts";
import type { Field, NumberShape, ValuesOf } from "./shapes/shape.ts";

/** AdamW with decoupled decay and global norm clipping, without its learning rate. */
export const optimizerTable = {
  beta1: { help: "Decay of the first moment", shape: { kind: "number", min: 0, below: 1 }, default: 0.9 },
  beta2: { help: "Decay of the second moment", shape: { kind: "number", min: 0, below: 1 }, default: 0.95 },
  // at 0, a parameter that never had a gradient becomes 0 / 0
  epsilon: { help: "Added to the root of the second moment", shape: { kind: "number", above: 0 }, default: 1e-8 },
  weightDecay: { help: "Decoupled weight decay of matrices", shape: { kind: "number", min: 0 }, default: 0 },
  /** Infinity and null disable clipping, which remote engines may not support. */
  maxGradNorm: {
    help: "Largest norm of the gradient; null for none",
    shape: { kind: "number", above: 0 },
    nullable: true,
    default: 1,
  },
} as const;

/** Settings of an optimizer step. */
export type OptimizerSettings = {
  readonly learningRate: number;
  /** Learning rate of Muon for the matrices of layers, in local engines. Default: AdamW for all. */
  readonly muon?: number;
} & NonNullableFields<ValuesOf<typeof optimizerTable>>;

type NonNullableFields<T> = { readonly [Name in keyof T]: Exclude<T[Name], null> };

type NumberField = Field & { readonly shape: NumberShape };

const learningRate: NumberField = { shape: { kind: "number", min: 0 } };

/**
 * Checks settings.
 * @throws LaconicError `config_invalid`
 */
export function checkOptimizerSettings(settings: OptimizerSettings): void {
  const fields: Readonly<Record<string, NumberField>> = { learningRate, ...optimizerTable };
  for (const [name, { shape, optional }] of Object.entries(fields)) {
    const key = name as keyof OptimizerSettings;
    const value = settings[key];
    if (optional && value === undefined) continue;
    if ((key === "maxGradNorm" && value === Infinity) || findShapeMismatch(shape, value) === null) continue;
    throw configError(`optimizer: ${key} is ${value}, expected ${rangeOf(shape)}`, { key });
  }
}
