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
  const { kernels } = model;
  const out = kernels.linear(x, parameter(model, `${name}.weight`), model.parameters.get(`${name}.bias`), model.steady);
  const pair = throughPair(model, name, x, dropout);
  if (pair) kernels.linearOnto(out, pair.inner, pair.b);
  return out;
}

export function projectOnto(model: ModelOnDevice, name: string, into: Tensor, x: Tensor): void {
  const { kernels } = model;
  const bias = model.parameters.get(`${name}.bias`);
  kernels.linearOnto(into, x, parameter(model, `${name}.weight`), bias, model.steady);
  const pair = throughPair(model, name, x);
  if (pair) kernels.linearOnto(into, pair.inner, pair.b);
}

export function projectTogether(
  model: ModelOnDevice,
  { name, parts }: MergedProjection,
  x: Tensor,
  dropout?: Dropout,
): Tensor[] {
  const { kernels } = model;
  const bias = model.parameters.get(`${name}.bias`);
  const whole = kernels.linear(x, parameter(model, `${name}.weight`), bias, model.steady);
  const joint = throughPair(model, name, x, dropout);
  if (joint) kernels.linearOnto(whole, joint.inner, joint.b);
  let start = 0;
  return parts.map((part) => {
    const out = kernels.columns(whole, start, part.width);
    start += part.width;
    const pair = throughPair(model, part.name, x, dropout);
    if (pair) kernels.linearOnto(out, pair.inner, pair.b);
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
      const dPair = i === 0 ? dOut : (dParts[i - 1] as Tensor);
      const dThroughPair = pairBackward(model, pair, dPair, x, gradients, dropout);
      if (dThroughPair) kernels.accumulate(dX as Tensor, dThroughPair);
    });
    return dX as Tensor;
  });
}

/** scale (x A^T) and B, or null. */
function throughPair(
  { kernels, adapter }: ModelOnDevice,
  name: string,
  x: Tensor,
  dropout?: Dropout,
): { readonly inner: Tensor; readonly b: Tensor } | null {
  const pair = adapterPair(adapter, name);
  if (!pair || !adapter) return null;
  const mask = dropout?.mask(kernels, name, x.shape);
  const seen = mask ? kernels.multiply(x, mask) : x;
  return { inner: kernels.scaled(kernels.linear(seen, pair.a), adapter.scale), b: pair.b };
}

function pairBackward(
  model: ModelOnDevice,
  name: string,
  dOut: Tensor,
  x: Tensor,
  gradients: Gradients,
  dropout?: Dropout,
): Tensor | null {
  const { kernels, adapter } = model;
  const pair = adapterPair(adapter, name);
  if (!pair || !adapter) return null;
  const names = pairNames(name);
  // Recomputing costs less than storing.
  const mask = dropout?.mask(kernels, name, x.shape);
  const seen = mask ? kernels.multiply(x, mask) : x;
  const inner = kernels.scaled(kernels.linear(seen, pair.a), adapter.scale);
  const dScaled = gradients.linear(model, { name: names.b, tensor: pair.b }, null, dOut, inner);
  const dInner = kernels.scaled(dScaled, adapter.scale);
  const dSeen = gradients.linear(model, { name: names.a, tensor: pair.a }, null, dInner, seen);
  return mask ? kernels.multiply(dSeen, mask) : dSeen;
}
