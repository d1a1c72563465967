import type { Tensor } from "../kernels/index.ts";
import { adapterPair, pairNames, parameter, type ModelOnDevice } from "./model-on-device.ts";
import type { Dropout } from "./dropout.ts";
import type { Gradients } from "./gradients.ts";

/** Projections of one input with stacked weights. */
export interface MergedProjection {
  /** Such as `model.layers.0.self_attn.qkv_proj`. */
  readonly name: string;
  /** Ordered by row. */
  readonly parts: readonly { readonly name: string; readonly width: number }[];
}

/** x W^T + bias, plus scale (x A^T) B^T with an adapter. */
export function project(model: ModelOnDevice, name: string, x: Tensor, dropout?: Dropout): Tensor {
  const { kernels, parameters, steady } = model;
  const out = kernels.linear(x, parameter(model, `${name}.weight`), parameters.get(`${name}.bias`), steady);
  addPair(model, name, out, x, dropout);
  return out;
}

export function projectOnto(model: ModelOnDevice, name: string, into: Tensor, x: Tensor): void {
  const { kernels, parameters, steady } = model;
  kernels.linearOnto(into, x, parameter(model, `${name}.weight`), parameters.get(`${name}.bias`), steady);
  addPair(model, name, into, x);
}

export function projectTogether(
  model: ModelOnDevice,
  { name, parts }: MergedProjection,
  x: Tensor,
  dropout?: Dropout,
): Tensor[] {
  const whole = project(model, name, x, dropout);
  let start = 0;
  return parts.map((part) => {
    const out = model.kernels.columns(whole, start, part.width);
    start += part.width;
    addPair(model, part.name, out, x, dropout);
    return out;
  });
}

/** Backward of `project`; returns d loss / d x. */
export function projectBackward(
  model: ModelOnDevice,
  name: string,
  dOut: Tensor,
  x: Tensor,
  gradients: Gradients,
  dropout?: Dropout,
): Tensor {
  return projectTogetherBackward(model, { name, parts: [] }, [dOut], x, gradients, dropout);
}

export function projectTogetherBackward(
  model: ModelOnDevice,
  { name, parts }: MergedProjection,
  dParts: readonly Tensor[],
  x: Tensor,
  gradients: Gradients,
  dropout?: Dropout,
): Tensor {
  const { kernels, adapter } = model;
  // Gradients are as large as their matrices.
  return kernels.scope(() => {
    const [only] = dParts;
    const dOut = dParts.length === 1 && only ? only : kernels.joinColumns(dParts);
    const weight = parameter(model, `${name}.weight`);
    if (!adapter) {
      const bias = model.parameters.has(`${name}.bias`) ? `${name}.bias` : null;
      return gradients.linear(model, { name: `${name}.weight`, tensor: weight }, bias, dOut, x);
    }
    const { dX } = kernels.linearBackward(dOut, x, weight, { input: true, weight: false, bias: false });
    [name, ...parts.map((part) => part.name)].forEach((pair, i) => {
      const dPair = i === 0 ? dOut : dParts[i - 1]!;
      const dThroughPair = pairBackward(model, pair, dPair, x, gradients, dropout);
      if (dThroughPair) kernels.accumulate(dX!, dThroughPair);
    });
    return dX!;
  });
}

function addPair(model: ModelOnDevice, name: string, into: Tensor, x: Tensor, dropout?: Dropout): void {
  const pair = throughPair(model, name, x, dropout);
  if (pair) model.kernels.linearOnto(into, pair.inner, pair.b);
}

interface PairPass extends Readonly<Record<"a" | "b" | "seen", Tensor>> {
  readonly mask: Tensor | null | undefined;
  /** scale (seen A^T). */
  readonly inner: Tensor;
  readonly scale: number;
}

/** Null without an adapter of the projection. */
function throughPair({ kernels, adapter }: ModelOnDevice, name: string, x: Tensor, dropout?: Dropout): PairPass | null {
  const pair = adapterPair(adapter, name);
  if (!pair || !adapter) return null;
  const { scale } = adapter;
  const mask = dropout?.mask(kernels, name, x.shape);
  const seen = mask ? kernels.multiply(x, mask) : x;
  return { ...pair, mask, seen, inner: kernels.scaled(kernels.linear(seen, pair.a), scale), scale };
}

function pairBackward(
  model: ModelOnDevice,
  name: string,
  dOut: Tensor,
  x: Tensor,
  gradients: Gradients,
  dropout?: Dropout,
): Tensor | null {
  // Recomputing costs less than storing.
  const pair = throughPair(model, name, x, dropout);
  if (!pair) return null;
  const { kernels } = model;
  const names = pairNames(name);
  const dScaled = gradients.linear(model, { name: names.b, tensor: pair.b }, null, dOut, pair.inner);
  const dInner = kernels.scaled(dScaled, pair.scale);
  const dSeen = gradients.linear(model, { name: names.a, tensor: pair.a }, null, dInner, pair.seen);
  return pair.mask ? kernels.multiply(dSeen, pair.mask) : dSeen;
}
