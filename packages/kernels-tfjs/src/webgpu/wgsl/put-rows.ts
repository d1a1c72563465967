import type { KeyValueCache } from "@laconic/kernels";
import type { Tensor as TfTensor } from "@tensorflow/tfjs-core";
import { threads, type WgslProgram } from "./run-program.ts";

/** Writes `values` [M, D] into rows `rows` int32 [M] of the output. */
export function putRowsProgram(rows: TfTensor, values: TfTensor): WgslProgram {
  const [count, width] = values.shape as [number, number];
  return {
    name: "put-rows",
    constants: {},
    inputs: { rows: { data: rows }, values: { data: values } },
    uniforms: { count: { type: "int32", value: count * width }, width: { type: "int32", value: width } },
    groups: Math.ceil((count * width) / threads),
    code: `
fn main(index : i32) {
  if (index < uniforms.count) {
    result[rows[index / uniforms.width] * uniforms.width + index % uniforms.width] = values[index];
  }
}`,
  };
}

/**
 * Writes new keys and values [N, kvHeads * headDim] to their pages, `keys` and `values`. Where they belong is worked out on the
 * device.
 * @param reach - int32 [N, 2], the sequence of each token and the positions up to it
 * @param table - int32 [S, width], the pages of each sequence
 */
export function putKeyValuesProgram(
  { k, v, reach, table }: Readonly<Record<"k" | "v" | "reach" | "table", TfTensor>>,
  { pageSize, kvHeads, headDim }: KeyValueCache,
  width: number,
): WgslProgram {
  const int = (value: number): { readonly type: "int32"; readonly value: number } => ({ type: "int32", value });
  return {
    name: "put-key-values",
    constants: {},
    inputs: { k: { data: k }, v: { data: v }, reach: { data: reach }, table: { data: table } },
    uniforms: {
      ...{ count: int(k.size), heads: int(kvHeads), headDim: int(headDim) },
      ...{ pageSize: int(pageSize), width: int(width) },
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
