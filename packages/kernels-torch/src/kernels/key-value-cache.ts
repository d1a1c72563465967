import { LaconicError } from "@laconic/core";
import {
  expectCacheHeads,
  expectCachePlan,
  expectHeads,
  expectRowCopies,
  matrix,
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

export function cacheKernels(device: TorchDevice): Pick<Kernels, Caching> & { readonly liveCaches: () => number } {
  const { store, torch } = device;
  const alive = new Set<KeyValueCache>();
  const open = (cache: KeyValueCache): TorchCache => {
    if (!alive.has(cache)) throw new LaconicError("engine_failed", "a key-value cache is used after it was freed");
    return cache as TorchCache;
  };
  return {
    liveCaches: () => alive.size,
    createCache({ rows, capacity, kvHeads, headDim }) {
      const shape = [rows * kvHeads, capacity, headDim];
      // Zeros: what is masked out is still multiplied by 0, and must not be NaN.
      const held = (): TorchTensor => device.make(shape, () => torch.full(shape, device.working, 0));
      const { keys, values } = store.scope(() => ({ keys: held(), values: held() }));
      store.keep(keys);
      store.keep(values);
      const cache: TorchCache = { rows, capacity, kvHeads, headDim, keys, values };
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
      const [tokens] = matrix(q, "attentionCached: q");
      const { queryHeads, kvHeads, headDim } = shape;
      expectHeads(shape, tokens, [q], [k, v], "attentionCached");
      expectCacheHeads(cache, shape, "attentionCached");
      expectCachePlan(plan, cache, tokens, "attentionCached");
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
      const [target, origin] = [open(cache), open(source)];
      expectRowCopies(target, from, to, lengths, origin);
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
function newPositions(device: TorchDevice, plan: CachePlan, { kvHeads, capacity }: KeyValueCache): Handle {
  const { store, torch } = device;
  return store.derive(store.get(plan.rowsOnDevice), `new positions ${kvHeads} ${capacity}`, () => {
    const { offsets } = plan.layout;
    const tokens = offsets.at(-1) as number;
    const places = new Float64Array(tokens * kvHeads);
    plan.rows.forEach((row, s) => {
      const start = offsets[s] as number;
      for (let token = start; token < (offsets[s + 1] as number); token++)
        for (let head = 0; head < kvHeads; head++)
          places[token * kvHeads + head] = (row * kvHeads + head) * capacity + (plan.past[s] as number) + token - start;
    });
    return torch.uploadIndices(places, [places.length]);
  });
}

/** Most positions that any sequence of the plan attends to. */
function longestReach({ past, layout }: CachePlan): number {
  let most = 0;
  for (let s = 0; s < past.length; s++) {
    const length = (layout.offsets[s + 1] as number) - (layout.offsets[s] as number);
    most = Math.max(most, (past[s] as number) + length);
  }
  return most;
}

/** The plan's rows follow each other: a view serves instead of a copy. */
function isRun({ rows }: CachePlan): boolean {
  return rows.every((row, s) => row === (rows[0] as number) + s);
}

function rowStride(plan: CachePlan, { capacity, headDim }: KeyValueCache, reach: number): number {
  return (isRun(plan) ? capacity : reach) * headDim;
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
  if (isRun(plan))
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
  const { layout, past } = plan;
  const { longest, offsets } = layout;
  if (longest === 1 && past.every((held) => held + 1 === reach)) return null;
  const { store, torch } = device;
  return store.derive(store.get(plan.pastOnDevice), "mask", () => {
    const mask = new Float32Array(past.length * longest * reach).fill(-Infinity);
    for (let s = 0; s < past.length; s++) {
      const length = (offsets[s + 1] as number) - (offsets[s] as number);
      for (let i = 0; i < longest; i++) {
        const start = (s * longest + i) * reach;
        // A padded row looks at the first position, so that its softmax is a number.
        mask.fill(0, start, start + (i < length ? (past[s] as number) + i + 1 : 1));
      }
    }
    const uploaded = torch.upload(mask, [past.length, longest, reach]);
    return device.working === scalarType.float32 ? uploaded : torch.cast(uploaded, device.working);
  });
}
