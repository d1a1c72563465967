import type { KeyValueCache } from "../../kernels/index.ts";
import type { GpuArray } from "../gpu-array.ts";
import { int, threads, type WgslProgram } from "./program.ts";

/**
 * Writes new keys and values [N, kvHeads * headDim] to their pages, `keys` and `values`. Where they belong is worked out on the
 * device.
 * @param reach - int32 [N, 2], the sequence of each token and the positions up to it
 * @param table - int32 [S, width], the pages of each sequence
 */
export function putKeyValuesProgram(
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
