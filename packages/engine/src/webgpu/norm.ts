import { matrixSize, type Kernels } from "../kernels/index.ts";
import type { GpuDevice } from "./gpu-device.ts";
import { columnSumsProgram, rmsNormInputGradient, rmsNormProgram } from "./wgsl/rms-norm.ts";
import type { GpuArray } from "./gpu-array.ts";
import { threads, type WgslProgram } from "./wgsl/program.ts";

/** Root-mean-square normalization (Zhang and Sennrich 2019). */
export function normKernels(device: GpuDevice): Pick<Kernels, "rmsNorm" | "rmsNormBackward"> {
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
      const [count] = matrixSize(cos);
      device.store.expectIndices(positions, count, "rotary: positions");
      const tables = { cos: device.data(cos), sin: device.data(sin), positions: device.data(positions) };
      return device.make(x.shape, () => rotaryProgram({ ...tables, x: device.data(x) }, heads, inverse));
    },
  };
}

/** Each thread rotates one pair of a head, i and i + half. */
function rotaryProgram(
  { x, cos, sin, positions }: Readonly<Record<"x" | "cos" | "sin" | "positions", GpuArray>>,
  heads: number,
  inverse: boolean,
): WgslProgram {
  const [rows] = x.shape as [number];
  const half = cos.shape[1] as number;
  const pairs = rows * heads * half;
  return {
    name: "rotary",
    constants: {},
    inputs: { x: { data: x }, cos: { data: cos }, sin: { data: sin }, positions: { data: positions } },
    uniforms: {
      pairs: { type: "int32", value: pairs },
      heads: { type: "int32", value: heads },
      half: { type: "int32", value: half },
      turn: { type: "float32", value: inverse ? -1 : 1 },
    },
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
