import { KeyValueCaches } from "../kernels/index.ts";
import type { CachePlan, Kernels, KeyValueCache, AttentionShape } from "../kernels/index.ts";
import type { GpuArray } from "./gpu-array.ts";
import type { GpuDevice } from "./gpu-device.ts";
import { putRowsProgram, takeRowsProgram } from "./wgsl/rows.ts";
import { int, threads, type WgslProgram, groupIndex } from "./wgsl/program.ts";
import { attentionConstants } from "./wgsl/attention.ts";
import { headVectors } from "./wgsl/vectors.ts";

/** One layer's keys and values, [pages * kvHeads * pageSize, headDim] each: every head's positions lie together. */
interface GpuCache extends KeyValueCache {
  readonly keys: GpuArray;
  readonly values: GpuArray;
}

type Caching = "createCache" | "freeCache" | "attentionCached" | "copyCachePages";

/** Keys and values in pages, read where they lie. */
export function cacheKernels(device: GpuDevice): Pick<Kernels, Caching> & { readonly liveCaches: () => number } {
  const { runner } = device;
  const caches = new KeyValueCaches<GpuCache>();
  const copyRows = (origin: GpuCache, from: Int32Array, target: GpuCache, to: Int32Array): void => {
    const [reads, writes] = [from, to].map((places) => runner.upload(places, [places.length])) as [GpuArray, GpuArray];
    for (const name of ["keys", "values"] as const) {
      const result = runner.run(takeRowsProgram(origin[name], reads), [from.length, target.headDim]);
      runner.runInPlace(putRowsProgram(writes, result), target[name]);
      result.dispose();
    }
    reads.dispose();
    writes.dispose();
  };
  return {
    liveCaches: () => caches.count,
    createCache({ pages, pageSize, kvHeads, headDim }) {
      const rows = pages * kvHeads * pageSize;
      // No number is read before it is written.
      const held = (): GpuArray => runner.blank([rows, headDim]);
      return caches.adopt({ pages, pageSize, kvHeads, headDim, keys: held(), values: held() });
    },
    freeCache(cache) {
      const { keys, values } = caches.release(cache);
      keys.dispose();
      values.dispose();
    },
    attentionCached(q, k, v, given, shape, plan) {
      const { cache, tokens } = caches.attended(q, k, v, given, shape, plan);
      if (tokens === 0) return device.blank(q.shape);
      const { keys, values } = cache;
      const width = plan.table.length / plan.past.length;
      const where = { reach: reachOf(device, plan), table: device.data(plan.tableOnDevice) };
      const added = { k: device.data(k), v: device.data(v), ...where };
      runner.runChanging(putKeyValuesProgram(added, cache, width), { keys, values });
      const read = { q: device.data(q), keys, values, ...where };
      return device.make(q.shape, () => attentionCachedProgram(read, cache, width, shape));
    },
    copyCachePages(cache, from, to, lengths, source = cache) {
      for (const { target, origin, reads, writes } of caches.copiedRows(cache, from, to, lengths, source))
        copyRows(origin, reads, target, writes);
    },
  };
}

/** The sequence of each new token, and the positions that it may look at: int32 [2 N]. */
function reachOf(device: GpuDevice, { layout, past, pastOnDevice }: CachePlan): GpuArray {
  return device.deriveIndices(pastOnDevice, "reach", () => {
    const { offsets } = layout;
    const reach = new Int32Array(2 * (offsets.at(-1) as number));
    past.forEach((held, s) => {
      const start = offsets[s] as number;
      for (let token = start; token < (offsets[s + 1] as number); token++)
        reach.set([s, held + token - start + 1], 2 * token);
    });
    return reach;
  });
}

/**
 * Writes new keys and values [N, kvHeads * headDim] to their pages, `keys` and `values`. Where they belong is worked out on the
 * device.
 * @param reach - int32 [N, 2], the sequence of each token and the positions up to it
 * @param table - int32 [S, width], the pages of each sequence
 */
function putKeyValuesProgram(
  { k, v, reach, table }: Readonly<Record<"k" | "v" | "reach" | "table", GpuArray>>,
  { pageSize, kvHeads, headDim }: KeyValueCache,
  width: number,
): WgslProgram {
  return {
    name: "put-key-values",
    constants: {},
    inputs: { k: { data: k }, v: { data: v }, reach: { data: reach }, table: { data: table } },
    uniforms: {
      count: int(k.size),
      heads: int(kvHeads),
      headDim: int(headDim),
      pageSize: int(pageSize),
      width: int(width),
    },
    groups: Math.ceil(k.size / threads),
    code: `
fn main(index : i32) {
  if (index < uniforms.count) {
    let row = index / uniforms.headDim;
    let token = row / uniforms.heads;
    let position = reach[2 * token + 1] - 1;
    let page = table[reach[2 * token] * uniforms.width + position / uniforms.pageSize];
    let held = (page * uniforms.heads + row % uniforms.heads) * uniforms.pageSize + position % uniforms.pageSize;
    let to = held * uniforms.headDim + index % uniforms.headDim;
    keys[to] = k[index];
    values[to] = v[index];
  }
}`,
  };
}

/**
 * Attention of new tokens to what a cache holds, read where it lies: a workgroup takes one head of one token, its threads
 * share out the keys, then the numbers of the head.
 * @param reach - int32 [N, 2], the sequence of each token and the positions that it may look at
 * @param table - int32 [S * width], the pages of each sequence
 */
function attentionCachedProgram(
  { q, keys, values, reach, table }: Readonly<Record<"q" | "keys" | "values" | "reach" | "table", GpuArray>>,
  { pageSize }: KeyValueCache,
  width: number,
  shape: AttentionShape,
): WgslProgram {
  const { vector, declaration } = headVectors(shape.headDim);
  const [tokens] = q.shape as [number];
  return {
    name: "attention-cached",
    constants: { ...attentionConstants(shape), PER_THREAD: Math.ceil(shape.headDim / threads) },
    inputs: {
      q: { data: q, vector },
      keys: { data: keys, vector },
      values: { data: values },
      reach: { data: reach },
      pages: { data: table },
    },
    uniforms: {
      tokens: { type: "int32", value: tokens },
      pageSize: { type: "int32", value: pageSize },
      width: { type: "int32", value: width },
      scale: { type: "float32", value: shape.scale },
    },
    groups: tokens * shape.queryHeads,
    code: `${declaration}
var<workgroup> place : vec2<i32>;
var<workgroup> query : array<V, CHUNKS>;
var<workgroup> scores : array<f32, THREADS>;
var<workgroup> shares : array<f32, THREADS>;
var<workgroup> rows : array<i32, THREADS>;
fn main(index : i32) {
  let group = ${groupIndex};
  let token = group / QUERY_HEADS;
  let head = group % QUERY_HEADS;
  if (localIndex == 0u) {
    if (token < uniforms.tokens) {
      place = vec2<i32>(reach[2 * token], reach[2 * token + 1]);
    } else {
      place = vec2<i32>(0);
    }
  }
  let at = workgroupUniformLoad(&place); // the same for all, which barriers ask for
  let own = i32(localIndex);
  let kvHead = head / GROUP;
  if (at.y > 0) {
    for (var c = own; c < CHUNKS; c += THREADS) {
      query[c] = q[(token * QUERY_HEADS + head) * CHUNKS + c] * uniforms.scale;
    }
  }
  workgroupBarrier();
  var mixed : array<f32, PER_THREAD>;
  var most = -1e30;
  var sum = 0.0;
  for (var start = 0; start < at.y; start += THREADS) {
    let count = min(THREADS, at.y - start);
    var score = -1e30;
    if (own < count) {
      let position = start + own;
      let page = pages[at.x * uniforms.width + position / uniforms.pageSize];
      let row = (page * KV_HEADS + kvHead) * uniforms.pageSize + position % uniforms.pageSize;
      rows[own] = row;
      var products = V();
      for (var c = 0; c < CHUNKS; c++) { products += query[c] * keys[row * CHUNKS + c]; }
      score = total(products);
    }
    scores[own] = score;
    workgroupBarrier();
    var next = most;
    for (var j = 0; j < count; j++) { next = max(next, scores[j]); }
    shares[own] = exp(score - next);
    workgroupBarrier();
    let kept = exp(most - next);
    sum *= kept;
    for (var j = 0; j < count; j++) { sum += shares[j]; }
    for (var n = 0; n < PER_THREAD; n++) {
      let d = own + n * THREADS;
      if (d < DIM) {
        var part = mixed[n] * kept;
        for (var j = 0; j < count; j++) { part += shares[j] * values[rows[j] * DIM + d]; }
        mixed[n] = part;
      }
    }
    most = next;
    workgroupBarrier();
  }
  if (at.y > 0) {
    for (var n = 0; n < PER_THREAD; n++) {
      let d = own + n * THREADS;
      if (d < DIM) { result[(token * QUERY_HEADS + head) * DIM + d] = mixed[n] / sum; }
    }
  }
}`,
  };
}
