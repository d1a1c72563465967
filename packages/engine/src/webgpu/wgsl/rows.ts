import { sizeOf } from "../../kernels/index.ts";
import type { GpuArray } from "../gpu-array.ts";
import { groupIndex, threads, type WgslProgram } from "./program.ts";

function widthOf({ shape }: GpuArray): number {
  return sizeOf(shape.slice(1));
}

/** Writes `values` [M, D] to rows `rows` int32 [M]. */
export function putRowsProgram(rows: GpuArray, values: GpuArray): WgslProgram {
  const count = values.size;
  return {
    name: "put-rows",
    inputs: { rows, values },
    integers: { count, width: widthOf(values) },
    groups: Math.ceil(count / threads),
    code: `
fn main(index : i32) {
  if (index < uniforms.count) {
    result[rows[index / uniforms.width] * uniforms.width + index % uniforms.width] = values[index];
  }
}`,
  };
}

/** Copies rows `rows` int32 [M] of `data` [R, D], bit by bit. */
export function takeRowsProgram(data: GpuArray, rows: GpuArray): WgslProgram {
  const width = widthOf(data);
  const count = rows.size * width;
  return {
    name: "take-rows",
    inputs: { data, rows },
    integers: { count, width },
    groups: Math.ceil(count / threads),
    code: `
fn main(index : i32) {
  if (index < uniforms.count) {
    result[index] = data[rows[index / uniforms.width] * uniforms.width + index % uniforms.width];
  }
}`,
  };
}

/** Adds `delta` [M, D] to rows `rows` int32 [M]. The first workgroup of an output row adds all of it in order. */
export function addRowsProgram(delta: GpuArray, rows: GpuArray): WgslProgram {
  return {
    name: "add-rows",
    inputs: { delta, rows },
    integers: { count: rows.size, width: widthOf(delta) },
    groups: delta.size === 0 ? 0 : rows.size,
    code: `
var<workgroup> flags : array<i32, THREADS>;
var<workgroup> place : i32;
fn main(index : i32) {
  let group = ${groupIndex};
  let own = i32(localIndex);
  let first = min(group, uniforms.count - 1);
  let row = rows[first];
  var repeats = select(0, 1, group >= uniforms.count);
  for (var i = own; i < first; i += THREADS) {
    if (rows[i] == row) { repeats = 1; }
  }
  flags[own] = repeats;
  workgroupBarrier();
  if (own == 0) {
    for (var i = 1; i < THREADS; i++) { repeats |= flags[i]; }
    place = select(first, uniforms.count, repeats == 1);
  }
  let begin = workgroupUniformLoad(&place); // the same for all, which barriers ask for
  for (var start = begin; start < uniforms.count; start += THREADS) {
    let source = start + own;
    flags[own] = 0;
    if (source < uniforms.count) { flags[own] = select(0, 1, rows[source] == row); }
    workgroupBarrier();
    let count = min(THREADS, uniforms.count - start);
    for (var i = 0; i < count; i++) {
      if (flags[i] == 1) {
        for (var d = own; d < uniforms.width; d += THREADS) {
          result[row * uniforms.width + d] += delta[(start + i) * uniforms.width + d];
        }
      }
    }
    workgroupBarrier();
  }
}`,
  };
}
