import { KeyValueCaches, longestReach, newPlaces, pageRun, reachMask, seesEverything } from "@laconic/engine/kernels";
import type { CachePlan, KernelFamily, KeyValueCache } from "@laconic/engine/kernels";
import * as tf from "@tensorflow/tfjs-core";
import type { Rank, Tensor as TfTensor } from "@tensorflow/tfjs-core";
import { hidden } from "./attention.ts";
import type { OpsDevice } from "./ops-device.ts";
import { fromHeads, paddedLayout, toHeads } from "./padding.ts";

/** Keys and values of a layer, [pages * kvHeads * pageSize, headDim] each. */
interface OpsCache extends KeyValueCache {
  keys: TfTensor;
  values: TfTensor;
}

export function cacheKernels(device: OpsDevice): KernelFamily<"cache"> & { readonly liveCaches: () => number } {
  const caches = new KeyValueCaches<OpsCache>();
  const put = (cache: OpsCache, positions: Int32Array, keys: TfTensor, values: TfTensor): void => {
    const rows = tf.tensor1d(positions, "int32");
    for (const [name, added] of [
      ["keys", keys],
      ["values", values],
    ] as const) {
      const next = device.backend.putRows(cache[name], rows, added);
      cache[name].dispose();
      cache[name] = next;
    }
    rows.dispose();
  };
  return {
    liveCaches: () => caches.count,
    createCache({ pages, pageSize, kvHeads, headDim }) {
      const size: [number, number] = [pages * kvHeads * pageSize, headDim];
      // Masked values are multiplied by 0 and must not be NaN.
      return caches.adopt({ pages, pageSize, kvHeads, headDim, keys: tf.zeros(size), values: tf.zeros(size) });
    },
    freeCache(cache) {
      const { keys, values } = caches.release(cache);
      keys.dispose();
      values.dispose();
    },
    attentionCached(q, k, v, handle, shape, plan) {
      const { cache, tokens } = caches.attended(q, k, v, handle, shape, plan);
      const { queryHeads, kvHeads, headDim, scale } = shape;
      if (tokens === 0) return device.make(q.shape, () => tf.zeros([0, 0]));
      const [newKeys, newValues] = [k, v].map((tensor) =>
        tf.reshape(device.data(tensor), [tokens * kvHeads, headDim]),
      ) as [TfTensor, TfTensor];
      put(cache, newPlaces(plan, cache), newKeys, newValues);
      newKeys.dispose();
      newValues.dispose();
      const group = queryHeads / kvHeads;
      return device.make(q.shape, () => {
        const padded = paddedLayout(device, plan.layout, tokens);
        const reach = longestReach(plan);
        const queries = toHeads(device.data(q), padded, kvHeads, group, headDim);
        const [keys, values] = [cache.keys, cache.values].map((held) =>
          cacheRows(device, held, cache, plan, reach),
        ) as [TfTensor, TfTensor];
        let scores = tf.mul(tf.matMul(queries, keys, false, true), scale);
        const mask = maskOnDevice(device, plan, reach, kvHeads === queryHeads ? 1 : group);
        if (mask) scores = tf.add(scores, mask);
        return fromHeads(tf.matMul(tf.softmax(scores, 3), values), padded, kvHeads, group, headDim);
      });
    },
    copyCachePages(cache, from, to, lengths, source = cache) {
      for (const { target, origin, reads, writes } of caches.copiedRows(cache, from, to, lengths, source)) {
        const [keys, values] = tf.tidy<[TfTensor, TfTensor]>(() => {
          const rows = tf.tensor1d(reads, "int32");
          return [tf.gather(origin.keys, rows), tf.gather(origin.values, rows)];
        });
        put(target, writes, keys, values);
        keys.dispose();
        values.dispose();
      }
    },
  };
}

/** Keys or values of the plan's pages, [S, kvHeads, reach, headDim]. */
function cacheRows(
  device: OpsDevice,
  held: TfTensor,
  { pages, kvHeads, pageSize, headDim }: KeyValueCache,
  plan: CachePlan,
  reach: number,
): TfTensor {
  const byPage = tf.reshape(held, [pages, kvHeads, pageSize, headDim]);
  const sequences = plan.past.length;
  const width = plan.table.length / sequences;
  const first = pageRun(plan);
  // Consecutive single pages need no gather.
  if (first >= 0) return tf.slice(byPage, [first, 0, 0, 0], [sequences, kvHeads, reach, headDim]);
  const table = device.data(plan.tableOnDevice);
  if (width === 1)
    return tf.gather(
      tf.slice(byPage, [0, 0, 0, 0], [pages, kvHeads, reach, headDim]),
      tf.reshape<Rank.R1>(table, [sequences]),
    );
  const picked = tf.reshape(tf.gather(byPage, tf.reshape<Rank.R1>(table, [sequences * width])), [
    sequences,
    width,
    kvHeads,
    pageSize * headDim,
  ]);
  const whole = tf.reshape(tf.transpose(picked, [0, 2, 1, 3]), [sequences, kvHeads, width * pageSize, headDim]);
  return tf.slice(whole, [0, 0, 0, 0], [sequences, kvHeads, reach, headDim]);
}

/** Additive mask [S, 1, group * longest, reach]; null if every new token sees all positions. */
function maskOnDevice(device: OpsDevice, plan: CachePlan, reach: number, group: number): TfTensor | null {
  if (seesEverything(plan, reach)) return null;
  const shape: [number, number, number, number] = [plan.past.length, 1, group * plan.layout.longest, reach];
  return device.derive(plan.pastOnDevice, `mask ${group}`, () =>
    tf.tensor4d(reachMask(plan, reach, { hidden, group }), shape),
  );
}
