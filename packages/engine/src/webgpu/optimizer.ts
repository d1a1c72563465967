import type { KernelFamily } from "../kernels/index.ts";
import type { GpuDevice } from "./gpu-device.ts";
import { elementwiseProgram } from "./wgsl/elementwise.ts";
import type { GpuArray } from "./gpu-array.ts";
import { threads, type WgslProgram } from "./wgsl/program.ts";

/** WGSL of an update; `scale` multiplies the gradient. */
const update = `
      let g = grad[i] * scale;
      let m = moment1[i] * uniforms.beta1 + g * uniforms.newShare1;
      let v = moment2[i] * uniforms.beta2 + g * g * uniforms.newShare2;
      moment1[i] = m;
      moment2[i] = v;
      param[i] = param[i] * uniforms.kept - m / (sqrt(v) * uniforms.rootScale + uniforms.epsilon) * uniforms.rate;`;

/** Checks the sum of squares by its bits, because shaders may assume finite floats. */
const clippedUpdate = `
      let exponent = bitcast<u32>(squares[0]) & 0x7f800000u;
      if (exponent != 0x7f800000u) {
      let norm = sqrt(squares[0]);
      let scale = select(1.0, uniforms.maxNorm / norm, norm > uniforms.maxNorm);${update}
      }`;

export function optimizerKernels(device: GpuDevice): KernelFamily<"optimizer"> {
  const { runner } = device;
  return {
    sumSquares(tensors) {
      const filled = tensors.map((tensor) => device.data(tensor)).filter(({ size }) => size > 0);
      const count = filled.reduce((sum, gpuArray) => sum + partsOf(gpuArray), 0);
      if (count === 0) return device.zeros([1]);
      const parts = runner.blank([count]);
      let first = 0;
      for (const gpuArray of filled) {
        runner.runInPlace(sumSquaresProgram(gpuArray, first), parts);
        first += partsOf(gpuArray);
      }
      const sum = device.make([1], () => sumProgram(parts));
      parts.dispose();
      return sum;
    },
    adamW(tensors, step) {
      const { learningRate, beta1, beta2, epsilon, weightDecay, clip } = step;
      const numbers = {
        beta1,
        newShare1: 1 - beta1,
        beta2,
        newShare2: 1 - beta2,
        kept: 1 - learningRate * weightDecay,
        rootScale: 1 / Math.sqrt(1 - beta2 ** step.step),
        epsilon,
        rate: learningRate / (1 - beta1 ** step.step),
      };
      // Larger than every norm.
      const maxNorm = Math.min(clip?.maxNorm ?? Infinity, 3e38);
      for (const { param, grad, first, second } of tensors) {
        const gradient = device.data(grad);
        if (gradient.size === 0) continue;
        const program = elementwiseProgram(
          clip ? "clipped-adamw" : "adamw",
          { grad: gradient, ...(clip && { squares: device.data(clip.squares) }) },
          gradient.size,
          clip ? clippedUpdate : `let scale = 1.0;${update}`,
          { floats: { ...numbers, ...(clip && { maxNorm }) } },
        );
        runner.runChanging(program, {
          param: device.unshared(param),
          moment1: device.unshared(first),
          moment2: device.unshared(second),
        });
      }
    },
  };
}

/** Elements per workgroup, except for large tensors. */
const perGroup = 4096;

function partsOf({ size }: GpuArray): number {
  return Math.min(threads, Math.ceil(size / perGroup));
}

const addAll = `
  shares[own] = share;
  workgroupBarrier();
  if (own == 0) {
    var sum = 0.0;
    for (var i = 0; i < THREADS; i++) { sum += shares[i]; }`;

function sumSquaresProgram(values: GpuArray, first: number): WgslProgram {
  const groups = partsOf(values);
  return {
    name: "sum-squares",
    inputs: { values },
    integers: { size: values.size, groups, first },
    groups,
    code: `
var<workgroup> shares : array<f32, THREADS>;
fn main(index : i32) {
  let own = i32(localIndex);
  var share = 0.0;
  for (var i = index; i < uniforms.size; i += uniforms.groups * THREADS) { share += values[i] * values[i]; }
${addAll}
    result[uniforms.first + index / THREADS] = sum;
  }
}`,
  };
}

function sumProgram(values: GpuArray): WgslProgram {
  return {
    name: "sum",
    inputs: { values },
    integers: { size: values.size },
    groups: 1,
    code: `
var<workgroup> shares : array<f32, THREADS>;
fn main(index : i32) {
  let own = i32(localIndex);
  var share = 0.0;
  for (var i = own; i < uniforms.size; i += THREADS) { share += values[i]; }
${addAll}
    result[0] = sum;
  }
}`,
  };
}
