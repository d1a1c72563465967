import type { CachePlan, Kernels, KeyValueCache, Tensor } from "../kernels/index.ts";
import { layerFromCache } from "./layer.ts";
import { parameter, type ModelOnDevice } from "./model-on-device.ts";
import { sequenceLayout } from "./packed-batch.ts";
import { headName } from "./parameters.ts";
import { embed, finalNorm } from "./train-pass.ts";

/** @param offsets - first new token of each sequence, then their number */
export function cachePlan(
  kernels: Kernels,
  { table, width }: { readonly table: Int32Array; readonly width: number },
  past: Int32Array,
  offsets: ArrayLike<number>,
): CachePlan {
  return {
    layout: sequenceLayout(kernels, offsets),
    table,
    tableOnDevice: kernels.upload(table, [past.length, width]),
    past,
    pastOnDevice: kernels.upload(past, [past.length]),
  };
}

/**
 * Computes new tokens after cached ones. Returns full-precision logits [B, V] without padding.
 * @param tokens - N new tokens, packed by `plan.layout`
 * @param logitRows - B of the N rows
 */
export function forwardCached(
  model: ModelOnDevice,
  tokens: Int32Array,
  caches: readonly KeyValueCache[],
  plan: CachePlan,
  logitRows: Int32Array,
): Tensor {
  const { kernels } = model;
  const positions = new Int32Array(tokens.length);
  plan.past.forEach((past, s) => {
    const start = plan.layout.offsets[s]!;
    for (let i = start; i < plan.layout.offsets[s + 1]!; i++) positions[i] = past + i - start;
  });
  return kernels.scope(() => {
    const inputs = {
      tokens: kernels.upload(tokens, [tokens.length]),
      positions: kernels.upload(positions, [positions.length]),
    };
    const all = logitRows.length === tokens.length && logitRows.every((row, i) => row === i);
    return logitsFrom(model, inputs, caches, plan, all ? null : logitRows);
  });
}

/** Decode step with all inputs on the device. @param tokens - int32 [S] */
export function forwardNext(
  model: ModelOnDevice,
  tokens: Tensor,
  caches: readonly KeyValueCache[],
  plan: CachePlan,
): Tensor {
  return model.kernels.scope(() => logitsFrom(model, { tokens, positions: plan.pastOnDevice }, caches, plan, null));
}

/** @param logitRows - null for all rows */
function logitsFrom(
  model: ModelOnDevice,
  { tokens, positions }: { readonly tokens: Tensor; readonly positions: Tensor },
  caches: readonly KeyValueCache[],
  plan: CachePlan,
  logitRows: Int32Array | null,
): Tensor {
  const { kernels, config, tokenCount } = model;
  const decoding: ModelOnDevice = { ...model, steady: true };
  const x = embed(model, tokens);
  caches.forEach((cache, layer) => {
    kernels.scope(() => layerFromCache(decoding, layer, x, positions, cache, plan));
  });
  const selected = logitRows === null ? x : kernels.gatherRows(x, kernels.upload(logitRows, [logitRows.length]));
  const normed = finalNorm(model, selected).out;
  const logits = kernels.headLogits(normed, parameter(model, headName(config)), true);
  return tokenCount === undefined ? logits : kernels.columns(logits, 0, tokenCount);
}
