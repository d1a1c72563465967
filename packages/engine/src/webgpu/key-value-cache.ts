import { KeyValueCaches, type CachePlan, type KernelFamily, type KeyValueCache } from "../kernels/index.ts";
import type { GpuArray } from "./gpu-array.ts";
import type { GpuDevice } from "./gpu-device.ts";
import { attentionCachedProgram } from "./wgsl/attention-cached.ts";
import { putRowsProgram, takeRowsProgram } from "./wgsl/rows.ts";
import { threads, type WgslProgram } from "./wgsl/program.ts";

/** [pages * kvHeads * pageSize, headDim] each, with contiguous heads. */
interface GpuCache extends KeyValueCache {
  readonly keys: GpuArray;
  readonly values: GpuArray;
}

export function cacheKernels(device: GpuDevice): KernelFamily<"cache"> & { readonly liveCaches: () => number } {
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
      // Numbers are written before they are read.
      const held = (): GpuArray => runner.blank([rows, headDim]);
      return caches.adopt({ pages, pageSize, kvHeads, headDim, keys: held(), values: held() });
    },
    freeCache(cache) {
      const { keys, values } = caches.release(cache);
      keys.dispose();
      values.dispose();
    },
    attentionCached(q, k, v, handle, shape, plan) {
      const { cache, tokens } = caches.attended(q, k, v, handle, shape, plan);
      if (tokens === 0) return device.blank(q.shape);
      const { keys, values } = cache;
      const width = plan.table.length / plan.past.length;
      const where = { reach: reachOf(device, plan), pages: device.data(plan.tableOnDevice) };
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

/** Sequence and visible positions: int32 [2 N]. */
function reachOf(device: GpuDevice, { layout, past, pastOnDevice }: CachePlan): GpuArray {
  return device.deriveIndices(pastOnDevice, "reach", () => {
    const { offsets } = layout;
    const reach = new Int32Array(2 * offsets.at(-1)!);
    past.forEach((held, s) => {
      const start = offsets[s]!;
      for (let token = start; token < offsets[s + 1]!; token++) reach.set([s, held + token - start + 1], 2 * token);
    });
    return reach;
  });
}

/**
 * Writes [N, kvHeads * headDim] to pages.
 * @param reach - int32 [N, 2]: sequence, and positions up to the token
 * @param pages - int32 [S, width]
 */
function putKeyValuesProgram(
  inputs: Readonly<Record<"k" | "v" | "reach" | "pages", GpuArray>>,
  { pageSize, kvHeads, headDim }: KeyValueCache,
  width: number,
): WgslProgram {
  const count = inputs.k.size;
  return {
    name: "put-key-values",
    inputs,
    integers: { count, heads: kvHeads, headDim, pageSize, width },
    groups: Math.ceil(count / threads),
    code: `
fn main(index : i32) {
  if (index < uniforms.count) {
    let row = index / uniforms.headDim;
    let token = row / uniforms.heads;
    let position = reach[2 * token + 1] - 1;
    let page = pages[reach[2 * token] * uniforms.width + position / uniforms.pageSize];
    let held = (page * uniforms.heads + row % uniforms.heads) * uniforms.pageSize + position % uniforms.pageSize;
    let to = held * uniforms.headDim + index % uniforms.headDim;
    keys[to] = k[index];
    values[to] = v[index];
  }
}`,
  };
}
