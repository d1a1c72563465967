import { KeyValueCaches, type KernelFamily, type KeyValueCache, type Tensor } from "../kernels/index.ts";
import type { WasmDevice } from "./wasm-device.ts";

export function cacheKernels(device: WasmDevice): KernelFamily<"cache"> {
  const { store } = device;
  /** [pages, pageSize, kvHeads * headDim] each. */
  const caches = new KeyValueCaches<KeyValueCache & { readonly keys: Tensor; readonly values: Tensor }>();
  return {
    createCache({ pages, pageSize, kvHeads, headDim }) {
      const shape = [pages, pageSize, kvHeads * headDim];
      const { keys, values } = store.scope(() => ({ keys: store.allocate(shape), values: store.allocate(shape) }));
      store.keep(keys);
      store.keep(values);
      return caches.adopt({ pages, pageSize, kvHeads, headDim, keys, values });
    },
    freeCache(cache) {
      const { keys, values } = caches.release(cache);
      store.free(keys);
      store.free(values);
    },
    attentionCached(q, k, v, handle, shape, plan) {
      const { keys, values, pageSize } = caches.attended(q, k, v, handle, shape, plan).cache;
      const width = shape.kvHeads * shape.headDim;
      const { offsetsOnDevice } = plan.layout;
      const sequences = plan.past.length;
      const pageCount = sequences === 0 ? 0 : plan.table.length / sequences;
      const location = [
        offsetsOnDevice,
        plan.tableOnDevice,
        plan.pastOnDevice,
        sequences,
        pageCount,
        pageSize,
      ] as const;
      device.run("appendToCache", k, keys, ...location, width);
      device.run("appendToCache", v, values, ...location, width);
      const out = store.allocate(q.shape);
      const heads = [shape.queryHeads, shape.kvHeads, shape.headDim, shape.scale];
      const positions = q.shape[0]!;
      device.withThreadScratch(pageCount * pageSize + 8, (scratch, bytes) =>
        device.divide(
          {
            countAt: 7,
            steps: { 4: 4, 5: 4 * pageCount, 6: 4 },
            // About ten operations per ns.
            cost: ((positions / sequences) * pageCount * pageSize * shape.queryHeads * shape.headDim * 4) / 10,
            scratch: { argument: 14, bytes },
          },
          ...(["attentionCached", q, keys, values, out, ...location, ...heads, scratch] as const),
        ),
      );
      return out;
    },
    copyCachePages(cache, from, to, lengths, source = cache) {
      const { target, origin } = caches.copied(cache, from, to, lengths, source);
      const position = target.kvHeads * target.headDim * 4;
      from.forEach((page, i) => {
        const start = page * origin.pageSize * position;
        const end = start + lengths[i]! * position;
        const offset = to[i]! * target.pageSize * position;
        store.bytes(target.keys).set(store.bytes(origin.keys).subarray(start, end), offset);
        store.bytes(target.values).set(store.bytes(origin.values).subarray(start, end), offset);
      });
    },
  };
}
