import { KeyValueCaches, longestReach, newPlaces } from "@laconic/engine/kernels";
import type { CachePlan, KernelFamily, KeyValueCache } from "@laconic/engine/kernels";
import { scalarType } from "../native/scalar-type.ts";
import type { Handle } from "../native/torch.ts";
import type { TorchDevice } from "../torch-device.ts";
import type { TorchTensor } from "../tensors.ts";
import { attendTiled, attendInTurn, attendWithoutPast, type TorchCache } from "./cached-attention.ts";

/** Max elements of scores for several continuations in one call. */
const fewScores = 2 ** 22;

export function cacheKernels(device: TorchDevice): KernelFamily<"cache"> {
  const { store, torch } = device;
  const caches = new KeyValueCaches<TorchCache>();
  return {
    createCache({ pages, pageSize, kvHeads, headDim }) {
      const shape = [pages * kvHeads, pageSize, headDim];
      // Masked values are multiplied by 0 and must not be NaN.
      const held = (): TorchTensor => device.make(shape, () => torch.full(shape, device.working, 0));
      const { keys, values } = store.scope(() => ({ keys: held(), values: held() }));
      store.keep(keys);
      store.keep(values);
      device.packed.cacheMade();
      return caches.adopt({ pages, pageSize, kvHeads, headDim, keys, values });
    },
    freeCache(cache) {
      const { keys, values } = caches.release(cache);
      store.free(keys);
      store.free(values);
      device.packed.cacheFreed();
    },
    attentionCached(q, k, v, handle, shape, plan) {
      const { cache, tokens } = caches.attended(q, k, v, handle, shape, plan);
      const { kvHeads, headDim } = shape;
      const input = { query: device.handle(q), keys: device.handle(k), values: device.handle(v), tokens };
      return device.make(q.shape, () => {
        if (tokens === 0) return torch.empty(q.shape, device.working);
        const places = placesOfNew(device, plan, cache);
        for (const [held, added] of [
          [cache.keys, input.keys],
          [cache.values, input.values],
        ] as const)
          torch.copyRows(
            torch.view(held.handle, [cache.pages * kvHeads * cache.pageSize, headDim]),
            places,
            torch.view(added, [tokens * kvHeads, headDim]),
          );
        const { longest } = plan.layout;
        const onCpu = torch.device === "cpu";
        if (longest > 1 && onCpu) {
          if (plan.past.every((held) => held === 0)) return attendWithoutPast(device, input, shape, plan);
          const scores = plan.past.length * longest * longestReach(plan) * shape.queryHeads;
          if (plan.past.length === 1 || scores > fewScores) return attendInTurn(device, input, cache, shape, plan);
        }
        return attendTiled(device, input, cache, shape, plan);
      });
    },
    copyCachePages(cache, from, to, lengths, source = cache) {
      const { target, origin } = caches.copied(cache, from, to, lengths, source);
      const { kvHeads, headDim } = target;
      from.forEach((page, i) => {
        const length = lengths[i]!;
        if (length === 0 || (page === to[i] && origin === target)) return;
        torch.run(() => {
          const part = (held: TorchTensor, { pageSize }: KeyValueCache, index: number): Handle =>
            torch.view(
              held.handle,
              [kvHeads, length, headDim],
              [pageSize * headDim, headDim, 1],
              index * kvHeads * pageSize * headDim,
            );
          torch.copyInto(part(target.keys, target, to[i]!), part(origin.keys, origin, page));
          torch.copyInto(part(target.values, target, to[i]!), part(origin.values, origin, page));
        });
      });
    },
  };
}

/** Positions of new tokens' heads in [pages, kvHeads, pageSize], int64. */
function placesOfNew(device: TorchDevice, plan: CachePlan, cache: TorchCache): Handle {
  const { store, torch } = device;
  const { kvHeads, pageSize } = cache;
  const sequences = plan.past.length;
  return store.derive(store.get(plan.pastOnDevice), `new places ${kvHeads} ${pageSize}`, () => {
    const step = plan.layout.longest === 1 && plan.layout.offsets.at(-1) === sequences;
    // The host is faster for the CPU, and MPS has no wide enough type.
    if (torch.device !== "cuda" || !step || plan.table.length !== sequences) {
      const places = newPlaces(plan, cache);
      return torch.uploadIndices(places, [places.length]);
    }
    const { float64, int64 } = scalarType;
    const wide = (x: Handle): Handle => torch.cast(x, float64);
    const page = torch.multiplyByNumber(wide(device.handle(plan.tableOnDevice)), kvHeads * pageSize);
    const first = torch.add(
      torch.view(page, [sequences, 1]),
      torch.view(wide(device.handle(plan.pastOnDevice)), [sequences, 1]),
    );
    const heads = store.derive(cache.keys, "heads", () =>
      torch.upload(
        Float64Array.from({ length: kvHeads }, (_, head) => head * pageSize),
        [1, kvHeads],
      ),
    );
    return torch.view(torch.cast(torch.add(first, heads), int64), [sequences * kvHeads]);
  });
}
