import {
  KeyValueCaches,
  longestReach,
  newPlaces,
  reachMask,
  rowsFollow,
  seesEverything,
  type CachePlan,
  type Kernels,
  type KeyValueCache,
} from "@laconic/kernels";
import { scalarType } from "../native/scalar-type.ts";
import { operator, type Handle } from "../native/torch.ts";
import type { TorchDevice } from "../torch-device.ts";
import type { TorchTensor } from "../tensors.ts";
import { attendCpu, attendMath } from "./cached-attention.ts";
import { packRows, padRows, paddedLayout } from "./padding.ts";

const indexCopy = operator("aten::index_copy_");
const indexSelect = operator("aten::index_select");

/** One layer's keys and values, [rows * kvHeads, capacity, headDim] each: every head's positions lie together. */
interface TorchCache extends KeyValueCache {
  readonly keys: TorchTensor;
  readonly values: TorchTensor;
}

type Caching = "createCache" | "freeCache" | "attentionCached" | "copyCacheRows";

export function cacheKernels(device: TorchDevice): Pick<Kernels, Caching> {
  const { store, torch } = device;
  const caches = new KeyValueCaches<TorchCache>();
  return {
    createCache({ rows, capacity, kvHeads, headDim }) {
      const shape = [rows * kvHeads, capacity, headDim];
      // Zeros: what is masked out is still multiplied by 0, and must not be NaN.
      const held = (): TorchTensor => device.make(shape, () => torch.full(shape, device.working, 0));
      const { keys, values } = store.scope(() => ({ keys: held(), values: held() }));
      store.keep(keys);
      store.keep(values);
      return caches.adopt({ rows, capacity, kvHeads, headDim, keys, values });
    },
    freeCache(cache) {
      const { keys, values } = caches.release(cache);
      store.free(keys);
      store.free(values);
    },
    attentionCached(q, k, v, given, shape, plan) {
      const { cache, tokens } = caches.attended(q, k, v, given, shape, plan);
      const { keys, values, capacity } = cache;
      const { queryHeads, kvHeads, headDim } = shape;
      const [query, newKeys, newValues] = [device.handle(q), device.handle(k), device.handle(v)];
      return device.make(q.shape, () => {
        if (tokens === 0) return torch.empty(q.shape, device.working);
        const at = newPositions(device, plan, cache);
        for (const [held, added] of [
          [keys, newKeys],
          [values, newValues],
        ] as const)
          torch.call(
            indexCopy,
            torch.view(held.handle, [cache.rows * kvHeads * capacity, headDim]),
            { int: 0 },
            at,
            torch.view(added, [tokens * kvHeads, headDim]),
          );
        const reach = longestReach(plan);
        const rowsOf = (held: TorchTensor): Handle => cacheRows(device, held, cache, plan, reach);
        const layout = paddedLayout(device, plan.layout, tokens);
        const padded = padRows(device, query, layout, queryHeads * headDim, device.working);
        const input = {
          query: padded,
          keys: rowsOf(keys),
          values: rowsOf(values),
          mask: reachable(device, plan, reach),
          sequences: layout.sequences,
          longest: layout.longest,
          reach,
          keyStride: rowStride(plan, cache, reach),
        };
        const attend = torch.device === "cpu" && layout.longest > 1 ? attendCpu : attendMath;
        return packRows(device, attend(device, input, shape), layout, queryHeads * headDim);
      });
    },
    copyCacheRows(cache, from, to, lengths, source = cache) {
      const { target, origin } = caches.copied(cache, from, to, lengths, source);
      const { kvHeads, headDim } = target;
      from.forEach((row, i) => {
        const length = lengths[i] as number;
        if (length === 0 || (row === to[i] && origin === target)) return;
        torch.run(() => {
          const part = (held: TorchTensor, { capacity }: KeyValueCache, at: number): Handle =>
            torch.view(
              held.handle,
              [kvHeads, length, headDim],
              [capacity * headDim, headDim, 1],
              at * kvHeads * capacity * headDim,
            );
          torch.copyInto(part(target.keys, target, to[i] as number), part(origin.keys, origin, row));
          torch.copyInto(part(target.values, target, to[i] as number), part(origin.values, origin, row));
          return [];
        });
      });
    },
  };
}

/** Where each head of each new token goes among all [rows, kvHeads, capacity] positions, int64. */
function newPositions(device: TorchDevice, plan: CachePlan, cache: KeyValueCache): Handle {
  const { store, torch } = device;
  return store.derive(store.get(plan.pastOnDevice), `new positions ${cache.kvHeads} ${cache.capacity}`, () => {
    const places = newPlaces(plan, cache);
    return torch.uploadIndices(places, [places.length]);
  });
}

function rowStride(plan: CachePlan, { capacity, headDim }: KeyValueCache, reach: number): number {
  return (rowsFollow(plan) ? capacity : reach) * headDim;
}

/** [S * kvHeads, reach, headDim] of the plan's rows, one matrix every `rowStride` elements. */
function cacheRows(
  device: TorchDevice,
  held: TorchTensor,
  { rows, kvHeads, capacity, headDim }: KeyValueCache,
  plan: CachePlan,
  reach: number,
): Handle {
  const { torch, store } = device;
  const matrixSize = capacity * headDim;
  const count = plan.rows.length;
  if (rowsFollow(plan))
    return torch.view(
      held.handle,
      [count * kvHeads, reach, headDim],
      [matrixSize, headDim, 1],
      (plan.rows[0] ?? 0) * kvHeads * matrixSize,
    );
  const within = torch.view(
    held.handle,
    [rows, kvHeads, reach, headDim],
    [kvHeads * matrixSize, matrixSize, headDim, 1],
  );
  const picked = torch.call(indexSelect, within, { int: 0 }, device.indices(store.get(plan.rowsOnDevice)));
  return torch.view(picked, [count * kvHeads, reach, headDim]);
}

/** Additive mask [S, longest, reach]: 0 where a new token may look, -infinity elsewhere. Null when it may look everywhere. */
function reachable(device: TorchDevice, plan: CachePlan, reach: number): Handle | null {
  if (seesEverything(plan, reach)) return null;
  const { store, torch } = device;
  return store.derive(store.get(plan.pastOnDevice), "mask", () => {
    const mask = reachMask(plan, reach, { hidden: -Infinity, group: 1 });
    const uploaded = torch.upload(mask, [plan.past.length, plan.layout.longest, reach]);
    return device.working === scalarType.float32 ? uploaded : torch.cast(uploaded, device.working);
  });
}
