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
import {
  add,
  gather,
  matMul,
  mul,
  reshape,
  slice,
  softmax,
  tensor1d,
  tensor4d,
  tidy,
  zeros,
  type Tensor as TfTensor,
} from "@tensorflow/tfjs-core";
import { hidden } from "./attention.ts";
import type { OpsDevice } from "./ops-device.ts";
import { fromHeads, paddedLayout, toHeads } from "./padding.ts";

/** One layer's keys and values, [rows * kvHeads * capacity, headDim] each: every head's positions lie together. */
interface OpsCache extends KeyValueCache {
  keys: TfTensor;
  values: TfTensor;
}

type Caching = "createCache" | "freeCache" | "attentionCached" | "copyCacheRows";

export function cacheKernels(device: OpsDevice): Pick<Kernels, Caching> & { readonly liveCaches: () => number } {
  const alive = new Set<KeyValueCache>();
  const open = (cache: KeyValueCache): OpsCache => {
    if (!alive.has(cache)) throw new LaconicError("engine_failed", "a key-value cache is used after it was freed");
    return cache as OpsCache;
  };
  const put = (cache: OpsCache, positions: Int32Array, keys: TfTensor, values: TfTensor): void => {
    const rows = tensor1d(positions, "int32");
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
    liveCaches: () => alive.size,
    createCache({ rows, capacity, kvHeads, headDim }) {
      // Zeros: what is masked out is still multiplied by 0, and must not be NaN.
      const held = (): TfTensor => zeros([rows * kvHeads * capacity, headDim]);
      const cache: OpsCache = { rows, capacity, kvHeads, headDim, keys: held(), values: held() };
      alive.add(cache);
      return cache;
    },
    freeCache(cache) {
      const { keys, values } = open(cache);
      keys.dispose();
      values.dispose();
      alive.delete(cache);
    },
    attentionCached(q, k, v, given, shape, plan) {
      const cache = open(given);
      const [tokens] = matrix(q, "attentionCached: q");
      const { queryHeads, kvHeads, headDim, scale } = shape;
      expectHeads(shape, tokens, [q], [k, v], "attentionCached");
      expectCacheHeads(cache, shape, "attentionCached");
      expectCachePlan(plan, cache, tokens, "attentionCached");
      if (tokens === 0) return device.make(q.shape, () => zeros([0, 0]));
      const [newKeys, newValues] = [k, v].map((each) => reshape(device.data(each), [tokens * kvHeads, headDim])) as [
        TfTensor,
        TfTensor,
      ];
      put(cache, newPlaces(plan, cache), newKeys, newValues);
      newKeys.dispose();
      newValues.dispose();
      const { fused } = device.backend;
      const group = queryHeads / kvHeads;
      return device.make(q.shape, () => {
        if (fused) return fused.attentionCached(device, { ...cache, q: device.data(q) }, cache, shape, plan);
        const padded = paddedLayout(device, plan.layout, tokens);
        const reach = longestReach(plan);
        const queries = toHeads(device.data(q), padded, kvHeads, group, headDim);
        const [keys, values] = [cache.keys, cache.values].map((held) =>
          cacheRows(device, held, cache, plan, reach),
        ) as [TfTensor, TfTensor];
        let scores = mul(matMul(queries, keys, false, true), scale);
        const mask = reachMask(device, plan, reach, kvHeads === queryHeads ? 1 : group);
        if (mask) scores = add(scores, mask);
        return fromHeads(matMul(softmax(scores, 3), values), padded, kvHeads, group, headDim);
      });
    },
    copyCacheRows(cache, from, to, lengths, source = cache) {
      const [target, origin] = [open(cache), open(source)];
      expectRowCopies(target, from, to, lengths, origin);
      // Copies happen one after the other: one that reads what another writes waits for it.
      let start = 0;
      for (let end = 1; end <= from.length; end++) {
        const written = origin === target && to.subarray(start, end).includes(from[end] ?? -1);
        if (end < from.length && !written && !to.subarray(start, end).includes(to[end] as number)) continue;
        const part = (values: Int32Array): Int32Array => values.subarray(start, end);
        const reads = places(part(from), part(lengths), origin);
        if (reads.length > 0) {
          const [keys, values] = tidy<[TfTensor, TfTensor]>(() => {
            const rows = tensor1d(reads, "int32");
            return [gather(origin.keys, rows), gather(origin.values, rows)];
          });
          put(target, places(part(to), part(lengths), target), keys, values);
          keys.dispose();
          values.dispose();
        }
        start = end;
      }
    },
  };
}

/** Where the first positions of some rows lie among all of a cache, head by head. */
function places(rows: Int32Array, lengths: Int32Array, { kvHeads, capacity }: KeyValueCache): Int32Array {
  const all: number[] = [];
  rows.forEach((row, i) => {
    for (let head = 0; head < kvHeads; head++)
      for (let position = 0; position < (lengths[i] as number); position++)
        all.push((row * kvHeads + head) * capacity + position);
  });
  return Int32Array.from(all);
}

/** Where each head of each new token goes. */
function newPlaces({ layout, rows, past }: CachePlan, { kvHeads, capacity }: KeyValueCache): Int32Array {
  const { offsets } = layout;
  const all = new Int32Array((offsets.at(-1) as number) * kvHeads);
  rows.forEach((row, s) => {
    const start = offsets[s] as number;
    for (let token = start; token < (offsets[s + 1] as number); token++)
      for (let head = 0; head < kvHeads; head++)
        all[token * kvHeads + head] = (row * kvHeads + head) * capacity + (past[s] as number) + token - start;
  });
  return all;
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

/** [S, kvHeads, reach, headDim] of the plan's rows. */
function cacheRows(
  device: OpsDevice,
  held: TfTensor,
  { rows, kvHeads, capacity, headDim }: KeyValueCache,
  plan: CachePlan,
  reach: number,
): TfTensor {
  const byRow = reshape(held, [rows, kvHeads, capacity, headDim]);
  const first = plan.rows[0] ?? 0;
  const count = plan.rows.length;
  // Rows that follow each other need no gathering.
  if (plan.rows.every((row, s) => row === first + s))
    return slice(byRow, [first, 0, 0, 0], [count, kvHeads, reach, headDim]);
  const within = slice(byRow, [0, 0, 0, 0], [rows, kvHeads, reach, headDim]);
  return gather(within, device.data(plan.rowsOnDevice));
}

/** Additive, [S, 1, group * longest, reach]; null when every new token may look everywhere. */
function reachMask(device: OpsDevice, plan: CachePlan, reach: number, group: number): TfTensor | null {
  const { layout, past } = plan;
  const { longest, offsets } = layout;
  if (longest === 1 && past.every((held) => held + 1 === reach)) return null;
  return device.derive(plan.pastOnDevice, `mask ${group}`, () => {
    const mask = new Float32Array(past.length * group * longest * reach).fill(hidden);
    for (let s = 0; s < past.length; s++) {
      const length = (offsets[s + 1] as number) - (offsets[s] as number);
      for (let g = 0; g < group; g++)
        for (let i = 0; i < longest; i++) {
          const start = ((s * group + g) * longest + i) * reach;
          // A padded row looks at the first position, so that its softmax is a number.
          mask.fill(0, start, start + (i < length ? (past[s] as number) + i + 1 : 1));
        }
    }
    return tensor4d(mask, [past.length, 1, group * longest, reach]);
  });
}
