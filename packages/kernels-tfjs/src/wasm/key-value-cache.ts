import { LaconicError } from "@laconic/core";
import {
  expectCacheHeads,
  expectCachePlan,
  expectHeads,
  expectRowCopies,
  matrix,
  type Kernels,
  type KeyValueCache,
  type Tensor,
} from "@laconic/kernels";

import type { WasmDevice } from "./wasm-device.ts";

/** One layer's keys and values, [rows, capacity, kvHeads * headDim] each. */
interface WasmCache extends KeyValueCache {
  readonly keys: Tensor;
  readonly values: Tensor;
}

type Caching = "createCache" | "freeCache" | "attentionCached" | "copyCacheRows";

export function cacheKernels(device: WasmDevice): Pick<Kernels, Caching> {
  const { store } = device;
  const alive = new Set<KeyValueCache>();
  const open = (cache: KeyValueCache): WasmCache => {
    if (!alive.has(cache)) throw new LaconicError("engine_failed", "a key-value cache is used after it was freed");
    return cache as WasmCache;
  };
  return {
    createCache({ rows, capacity, kvHeads, headDim }) {
      const shape = [rows, capacity, kvHeads * headDim];
      const { keys, values } = store.scope(() => ({ keys: store.allocate(shape), values: store.allocate(shape) }));
      store.keep(keys);
      store.keep(values);
      const cache: WasmCache = { rows, capacity, kvHeads, headDim, keys, values };
      alive.add(cache);
      return cache;
    },
    freeCache(cache) {
      const { keys, values } = open(cache);
      store.free(keys);
      store.free(values);
      alive.delete(cache);
    },
    attentionCached(q, k, v, cache, shape, plan) {
      const { keys, values, capacity } = open(cache);
      const [rows] = matrix(q, "attentionCached: q");
      const width = shape.kvHeads * shape.headDim;
      expectHeads(shape, rows, [q], [k, v], "attentionCached");
      expectCacheHeads(cache, shape, "attentionCached");
      expectCachePlan(plan, cache, rows, "attentionCached");
      const { offsetsOnDevice } = plan.layout;
      const place = [offsetsOnDevice, plan.rowsOnDevice, plan.pastOnDevice, plan.rows.length, capacity] as const;
      device.run("appendToCache", k, keys, ...place, width);
      device.run("appendToCache", v, values, ...place, width);
      const out = store.allocate(q.shape);
      const heads = [shape.queryHeads, shape.kvHeads, shape.headDim, shape.scale];
      device.withScratch(capacity + 8, (scratch) =>
        device.run("attentionCached", q, keys, values, out, ...place, ...heads, scratch),
      );
      return out;
    },
    copyCacheRows(cache, from, to, lengths, source = cache) {
      const [target, origin] = [open(cache), open(source)];
      expectRowCopies(target, from, to, lengths, origin);
      const position = target.kvHeads * target.headDim * 4;
      from.forEach((row, i) => {
        const start = row * origin.capacity * position;
        const end = start + (lengths[i] as number) * position;
        const at = (to[i] as number) * target.capacity * position;
        store.bytes(target.keys).set(store.bytes(origin.keys).subarray(start, end), at);
        store.bytes(target.values).set(store.bytes(origin.values).subarray(start, end), at);
      });
    },
  };
}
