import type { KeyValueCache } from "../../kernels/index.ts";
import type { GpuArray } from "../gpu-array.ts";
import { packHalves } from "./halves.ts";
import { int, threads, type WgslProgram } from "./program.ts";

/**
 * Writes new keys and values [N, kvHeads * headDim] to their pages, `keys` and `values`. Where they belong is worked out on the
 * device.
 * @param reach - int32 [N, 2], the sequence of each token and the positions up to it
 * @param table - int32 [S, width], the pages of each sequence
 * @param halves - whether the pages hold half precision
 */
export function putKeyValuesProgram(
  { k, v, reach, table }: Readonly<Record<"k" | "v" | "reach" | "table", GpuArray>>,
  { pageSize, kvHeads, headDim }: KeyValueCache,
  width: number,
  halves: boolean,
): WgslProgram {
  const each = halves ? 2 : 1;
  const put = (to: string, from: string): string =>
    halves
      ? `${to}[to / 2] = ${packHalves(`vec2<f32>(${from}[index], ${from}[index + 1])`)};`
      : `${to}[to] = ${from}[index];`;
  return {
    name: halves ? "put-key-values halves" : "put-key-values",
    constants: {},
    inputs: { k: { data: k }, v: { data: v }, reach: { data: reach }, table: { data: table } },
    uniforms: {
      count: int(k.size / each),
      heads: int(kvHeads),
      headDim: int(headDim),
      pageSize: int(pageSize),
      width: int(width),
    },
    groups: Math.ceil(k.size / each / threads),
    code: `
fn main(number : i32) {
  if (number < uniforms.count) {
    let index = ${each} * number;
    let row = index / uniforms.headDim;
    let token = row / uniforms.heads;
    let position = reach[2 * token + 1] - 1;
    let page = table[reach[2 * token] * uniforms.width + position / uniforms.pageSize];
    let held = (page * uniforms.heads + row % uniforms.heads) * uniforms.pageSize + position % uniforms.pageSize;
    let to = held * uniforms.headDim + index % uniforms.headDim;
    ${put("keys", "k")}
    ${put("values", "v")}
  }
}`,
  };
}
