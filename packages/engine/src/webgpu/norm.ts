import { matrixSize, type KernelFamily, type Kernels } from "../kernels/index.ts";
import type { GpuDevice } from "./gpu-device.ts";
import type { GpuArray } from "./gpu-array.ts";
import { threads, type WgslProgram, groupIndex } from "./wgsl/program.ts";

/** RMSNorm (Zhang and Sennrich 2019). */
export function normKernels(device: GpuDevice): KernelFamily<"norm"> {
  return {
    rmsNorm(x, weight, epsilon) {
      const [rows, width] = matrixSize(x);
      const { result, invRms } = device.makeAll({ result: [rows, width], invRms: [rows] }, () =>
        rmsNormProgram(device.data(x), device.data(weight), epsilon),
      );
      return { out: result, invRms };
    },
    rmsNormBackward(dOut, x, weight, invRms) {
      const [rows, width] = matrixSize(x);
      const inputs = { dOut: device.data(dOut), x: device.data(x), invRms: device.data(invRms) };
      return {
        dX: device.make([rows, width], () => rmsNormInputGradient({ ...inputs, weight: device.data(weight) })),
        dWeight:
          rows === 0 ? device.zeros([width]) : device.make([width], () => columnSumsProgram(inputs.dOut, inputs)),
      };
    },
  };
}

/** Rotary positions (Su et al. 2021) of head halves. */
export function rotaryKernels(device: GpuDevice): Pick<Kernels, "rotary"> {
  return {
    rotary(x, { cos, sin }, positions, heads, inverse = false) {
      const tables = { cos: device.data(cos), sin: device.data(sin), positions: device.data(positions) };
      return device.make(x.shape, () => rotaryProgram({ ...tables, x: device.data(x) }, heads, inverse));
    },
  };
}

/** Threads rotate i and i + half. */
function rotaryProgram(
  inputs: Readonly<Record<"x" | "cos" | "sin" | "positions", GpuArray>>,
  heads: number,
  inverse: boolean,
): WgslProgram {
  const [rows] = inputs.x.shape as [number];
  const half = inputs.cos.shape[1]!;
  const pairs = rows * heads * half;
  return {
    name: "rotary",
    inputs,
    integers: { pairs, heads, half },
    floats: { turn: inverse ? -1 : 1 },
    groups: Math.ceil(pairs / threads),
    code: `
fn main(index : i32) {
  if (index < uniforms.pairs) {
    let head = index / uniforms.half;
    let i = index % uniforms.half;
    let at = positions[head / uniforms.heads] * uniforms.half + i;
    let s = sin[at] * uniforms.turn;
    let low = x[head * 2 * uniforms.half + i];
    let high = x[(head * 2 + 1) * uniforms.half + i];
    result[head * 2 * uniforms.half + i] = low * cos[at] - high * s;
    result[(head * 2 + 1) * uniforms.half + i] = high * cos[at] + low * s;
  }
}`,
  };
}

/** WGSL: a workgroup's row; missing rows have no width. */
const rowMain = `
var<workgroup> shares : array<f32, THREADS>;
fn main(index : i32) {
  let row = ${groupIndex};
  let own = i32(localIndex);
  let at = row * uniforms.width;
  let width = select(0, uniforms.width, row < uniforms.rows);`;

/** WGSL: sums in a fixed order. */
const addShares = `
  workgroupBarrier();
  var sum = 0.0;
  for (var i = 0; i < THREADS; i++) { sum += shares[i]; }`;

/** A workgroup computes a row. Writes `result` [N, D] and `invRms` [N]. */
function rmsNormProgram(x: GpuArray, weight: GpuArray, epsilon: number): WgslProgram {
  const [rows, width] = x.shape as [number, number];
  return {
    name: "rms-norm",
    inputs: { x, weight },
    integers: { rows, width },
    floats: { epsilon },
    groups: rows,
    code: `${rowMain}
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
function rmsNormInputGradient(inputs: Readonly<Record<"dOut" | "x" | "weight" | "invRms", GpuArray>>): WgslProgram {
  const [rows, width] = inputs.x.shape as [number, number];
  return {
    name: "rms-norm-input-gradient",
    inputs,
    integers: { rows, width },
    groups: rows,
    code: `${rowMain}
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
 * Column sums [D] of `values` [N, D], or of values * x * invRms. A workgroup computes 8 columns with 8 threads each.
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
    inputs: { values, ...(normal && { x: normal.x, invRms: normal.invRms }) },
    integers: { rows, width, adds: adds ? 1 : 0 },
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
