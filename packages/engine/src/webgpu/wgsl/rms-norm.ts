import type { GpuArray } from "../gpu-array.ts";
import { groupIndex, int, threads, type WgslProgram } from "./program.ts";

/** WGSL: sums the values of all threads in a fixed order. */
const addShares = `
  workgroupBarrier();
  var sum = 0.0;
  for (var i = 0; i < THREADS; i++) { sum += shares[i]; }`;

/** Each workgroup computes a row. Writes `result` [N, D] and `invRms` [N]. */
export function rmsNormProgram(x: GpuArray, weight: GpuArray, epsilon: number): WgslProgram {
  const [rows, width] = x.shape as [number, number];
  return {
    name: "rms-norm",
    constants: {},
    inputs: { x: { data: x }, weight: { data: weight } },
    uniforms: { rows: int(rows), width: int(width), epsilon: { type: "float32", value: epsilon } },
    groups: rows,
    code: `
var<workgroup> shares : array<f32, THREADS>;
fn main(index : i32) {
  let row = ${groupIndex};
  let own = i32(localIndex);
  let at = row * uniforms.width;
  let width = select(0, uniforms.width, row < uniforms.rows);
  var squares = 0.0;
  for (var d = own; d < width; d += THREADS) { squares += x[at + d] * x[at + d]; }
  shares[own] = squares;
${addShares}
  let inverse = inverseSqrt(sum / f32(uniforms.width) + uniforms.epsilon);
  for (var d = own; d < width; d += THREADS) { result[at + d] = x[at + d] * inverse * weight[d]; }
  if (own == 0 && row < uniforms.rows) { invRms[row] = inverse; }
}`,
  };
}

/** Input gradient, [N, D]. */
export function rmsNormInputGradient(
  inputs: Readonly<Record<"dOut" | "x" | "weight" | "invRms", GpuArray>>,
): WgslProgram {
  const { dOut, x, weight, invRms } = inputs;
  const [rows, width] = x.shape as [number, number];
  return {
    name: "rms-norm-input-gradient",
    constants: {},
    inputs: { dOut: { data: dOut }, x: { data: x }, weight: { data: weight }, invRms: { data: invRms } },
    uniforms: { rows: int(rows), width: int(width) },
    groups: rows,
    code: `
var<workgroup> shares : array<f32, THREADS>;
fn main(index : i32) {
  let row = ${groupIndex};
  let own = i32(localIndex);
  let at = row * uniforms.width;
  let width = select(0, uniforms.width, row < uniforms.rows);
  let inverse = invRms[min(row, uniforms.rows - 1)];
  var along = 0.0;
  for (var d = own; d < width; d += THREADS) { along += dOut[at + d] * weight[d] * x[at + d]; }
  shares[own] = along * inverse;
${addShares}
  let mean = sum / f32(uniforms.width);
  for (var d = own; d < width; d += THREADS) {
    result[at + d] = inverse * (dOut[at + d] * weight[d] - x[at + d] * inverse * mean);
  }
}`,
  };
}

/**
 * Column sums [D] of `values` [N, D], or of values * x * invRms (a norm's weight gradient). A workgroup computes 8
 * columns with 8 threads each.
 * @param adds - adds to `result`
 */
export function columnSumsProgram(
  values: GpuArray,
  normal?: { readonly x: GpuArray; readonly invRms: GpuArray },
  adds = false,
): WgslProgram {
  const [rows, width] = values.shape as [number, number];
  return {
    name: normal ? "normal-column-sums" : "column-sums",
    constants: { COLUMNS: 8 },
    inputs: {
      values: { data: values },
      ...(normal && { x: { data: normal.x }, invRms: { data: normal.invRms } }),
    },
    uniforms: { rows: int(rows), width: int(width), adds: int(adds ? 1 : 0) },
    groups: Math.ceil(width / (threads / 8)),
    code: `
var<workgroup> shares : array<f32, THREADS>;
fn main(index : i32) {
  let own = i32(localIndex);
  let column = index / THREADS * COLUMNS + own % COLUMNS;
  const LANES = THREADS / COLUMNS;
  var share = 0.0;
  if (column < uniforms.width) {
    for (var row = own / COLUMNS; row < uniforms.rows; row += LANES) {
      let at = row * uniforms.width + column;
      share += values[at]${normal ? " * x[at] * invRms[row]" : ""};
    }
  }
  shares[own] = share;
  workgroupBarrier();
  if (own < COLUMNS && column < uniforms.width) {
    for (var lane = 1; lane < LANES; lane++) { share += shares[lane * COLUMNS + own]; }
    if (uniforms.adds == 1) { share += result[column]; }
    result[column] = share;
  }
}`,
  };
}
