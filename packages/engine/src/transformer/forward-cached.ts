import type { CachePlan, KeyValueCache, Tensor } from "@laconic/kernels";
import { layerFromCache } from "./layer.ts";
import { parameter, type ModelOnDevice } from "./model-on-device.ts";
import { embeddingName, finalNormName, headName } from "./parameters.ts";

/**
 * Runs new tokens behind what the caches hold, one cache per layer, and returns full-precision logits [B, V] of the wanted rows.
 * Prefill and decode are the same call.
 *
 * @param tokens - N new tokens, packed as `plan.layout` says
 * @param logitRows - B rows among the N; their order is the order of the logits
 */
export function forwardCached(
  model: ModelOnDevice,
  tokens: Int32Array,
  caches: readonly KeyValueCache[],
  plan: CachePlan,
  logitRows: Int32Array,
): Tensor {
  const { kernels, config } = model;
  const positions = new Int32Array(tokens.length);
  plan.past.forEach((past, s) => {
    const start = plan.layout.offsets[s] as number;
    for (let i = start; i < (plan.layout.offsets[s + 1] as number); i++) positions[i] = past + i - start;
  });
  return kernels.scope(() => {
    const positionsOnDevice = kernels.upload(positions, [positions.length]);
    const x = kernels.gatherRows(parameter(model, embeddingName), kernels.upload(tokens, [tokens.length]));
    caches.forEach((cache, layer) => {
      kernels.scope(() => layerFromCache(model, layer, x, positionsOnDevice, cache, plan));
    });
    // A decode step wants every row.
    const all = logitRows.length === tokens.length && logitRows.every((row, i) => row === i);
    const wanted = all ? x : kernels.gatherRows(x, kernels.upload(logitRows, [logitRows.length]));
    const normed = kernels.rmsNorm(wanted, parameter(model, finalNormName), config.rmsNormEpsilon).out;
    return kernels.headLogits(normed, parameter(model, headName(config)));
  });
}
