import type { Kernels } from "../kernels/index.ts";
import type { GpuDevice } from "./gpu-device.ts";
import { elementwiseProgram } from "./wgsl/elementwise.ts";
import { partsOf, sumProgram, sumSquaresProgram } from "./wgsl/sum-squares.ts";

/** WGSL of an update; `scale` multiplies the gradient. */
const update = `
      let g = grad[i] * scale;
      let m = moment1[i] * uniforms.beta1 + g * uniforms.newShare1;
      let v = moment2[i] * uniforms.beta2 + g * g * uniforms.newShare2;
      moment1[i] = m;
      moment2[i] = v;
      param[i] = param[i] * uniforms.kept - m / (sqrt(v) * uniforms.rootScale + uniforms.epsilon) * uniforms.rate;`;

/** The same where the sum of squares is finite: seen by its bits, because shaders may take every float for finite. */
const clippedUpdate = `
      let exponent = bitcast<u32>(squares[0]) & 0x7f800000u;
      if (exponent != 0x7f800000u) {
      let norm = sqrt(squares[0]);
      let scale = select(1.0, uniforms.maxNorm / norm, norm > uniforms.maxNorm);${update}
      }`;

/** Gradient norm and AdamW, one dispatch for a tensor. */
export function optimizerKernels(device: GpuDevice): Pick<Kernels, "sumSquares" | "adamW"> {
  const { runner } = device;
  return {
    sumSquares(tensors) {
      const filled = tensors.map((each) => device.data(each)).filter(({ size }) => size > 0);
      const count = filled.reduce((sum, each) => sum + partsOf(each), 0);
      if (count === 0) return device.zeros([1]);
      const parts = runner.blank([count]);
      let first = 0;
      for (const each of filled) {
        runner.runInPlace(sumSquaresProgram(each, first), parts);
        first += partsOf(each);
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
      // Beyond every float: no norm is larger.
      const maxNorm = Math.min(clip?.maxNorm ?? Infinity, 3e38);
      for (const { param, grad, first, second } of tensors) {
        const gradient = device.data(grad);
        if (gradient.size === 0) continue;
        const program = elementwiseProgram(
          clip ? "clipped-adamw" : "adamw",
          { grad: gradient, ...(clip && { squares: device.data(clip.squares) }) },
          gradient.size,
          clip ? clippedUpdate : `let scale = 1.0;${update}`,
          { ...numbers, ...(clip && { maxNorm }) },
        );
        runner.runChanging(program, {
          param: device.own(param),
          moment1: device.own(first),
          moment2: device.own(second),
        });
      }
    },
  };
}
