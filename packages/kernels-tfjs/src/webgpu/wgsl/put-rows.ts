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
