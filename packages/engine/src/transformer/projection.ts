import type { Tensor } from "@laconic/kernels";
import { adapterPair } from "../lora/adapter-on-device.ts";
import type { Dropout } from "../lora/dropout.ts";
import { pairNames } from "../lora/lora-settings.ts";
import type { Gradients } from "./gradients.ts";
import { parameter, type ModelOnDevice } from "./model-on-device.ts";

/**
 * x W^T + bias, plus scale (x A^T) B^T where the projection has an adapter.
 *
 * @param name - of the projection, such as `model.layers.0.self_attn.q_proj`
 */
export function project(model: ModelOnDevice, name: string, x: Tensor, dropout?: Dropout): Tensor {
  const { kernels } = model;
  const out = kernels.linear(x, parameter(model, `${name}.weight`), model.parameters.get(`${name}.bias`));
  const pair = adapterPair(model.adapter, name);
  if (!pair || !model.adapter) return out;
  const mask = dropout?.mask(kernels, name, x.shape);
  const seen = mask ? kernels.multiply(x, mask) : x;
  const inner = kernels.scaled(kernels.linear(seen, pair.a), model.adapter.scale);
  kernels.accumulate(out, kernels.linear(inner, pair.b));
  return out;
}

/** Backward of `project`: adds the gradients of what is trained and returns d loss / d x. */
export function projectBackward(
  model: ModelOnDevice,
  name: string,
  dOut: Tensor,
  x: Tensor,
  gradients: Gradients,
  dropout?: Dropout,
): Tensor {
  const { kernels, adapter } = model;
  // Each gradient is as large as its matrix: none waits for the end of the layer.
  return kernels.scope(() => {
    const full = adapter === null;
    const { dX, dWeight, dBias } = kernels.linearBackward(dOut, x, parameter(model, `${name}.weight`), {
      input: true,
      weight: full,
      bias: full && model.parameters.has(`${name}.bias`),
    });
    if (dWeight) gradients.add(`${name}.weight`, dWeight);
    if (dBias) gradients.add(`${name}.bias`, dBias);
    const dThroughPair = pairBackward(model, name, dOut, x, gradients, dropout);
    if (dThroughPair) kernels.accumulate(dX as Tensor, dThroughPair);
    return dX as Tensor;
  });
}

/** Backward of a projection's adapter, null where it has none. */
function pairBackward(
  { kernels, adapter }: ModelOnDevice,
  name: string,
  dOut: Tensor,
  x: Tensor,
  gradients: Gradients,
  dropout?: Dropout,
): Tensor | null {
  const pair = adapterPair(adapter, name);
  if (!pair || !adapter) return null;
  // The inner product is narrow, and dropout draws the same mask again: both cost less to repeat than to keep.
  const mask = dropout?.mask(kernels, name, x.shape);
  const seen = mask ? kernels.multiply(x, mask) : x;
  const inner = kernels.scaled(kernels.linear(seen, pair.a), adapter.scale);
  const needs = { input: true, weight: true, bias: false };
  const outer = kernels.linearBackward(dOut, inner, pair.b, needs);
  const dInner = kernels.scaled(outer.dX as Tensor, adapter.scale);
  const first = kernels.linearBackward(dInner, seen, pair.a, needs);
  const names = pairNames(name);
  gradients.add(names.a, first.dWeight as Tensor);
  gradients.add(names.b, outer.dWeight as Tensor);
  const dSeen = first.dX as Tensor;
  return mask ? kernels.multiply(dSeen, mask) : dSeen;
}
