import { expectFloats, type Kernels } from "@laconic/kernels";
import { zeros } from "@tensorflow/tfjs-core";
import type { GpuDevice } from "./gpu-device.ts";
import { elementwiseProgram } from "./wgsl/elementwise.ts";
import { runChanging, runInPlace, runProgram } from "./wgsl/run-program.ts";
import { partsOf, sumProgram, sumSquaresProgram } from "./wgsl/sum-squares.ts";

const adamW = `
      let g = grad[i] * uniforms.gradScale;
      let m = moment1[i] * uniforms.beta1 + g * uniforms.newShare1;
      let v = moment2[i] * uniforms.beta2 + g * g * uniforms.newShare2;
      moment1[i] = m;
      moment2[i] = v;
      param[i] = param[i] * uniforms.kept - m / (sqrt(v) * uniforms.rootScale + uniforms.epsilon) * uniforms.rate;`;

/** Gradient norm and AdamW, one dispatch for a tensor. */
export function optimizerKernels(device: GpuDevice): Pick<Kernels, "sumSquares" | "adamW"> {
  const { runner, ops } = device;
  return {
    sumSquares(tensors) {
      const filled = tensors.map((each) => device.data(each)).filter(({ size }) => size > 0);
      const count = filled.reduce((sum, each) => sum + partsOf(each), 0);
      if (count === 0) return ops.store.adoptFloats(zeros([1]));
      let parts: ReturnType<typeof runProgram> | null = null;
      let first = 0;
      for (const each of filled) {
        const program = sumSquaresProgram(each, first);
        if (parts) runInPlace(runner, program, parts);
        else parts = runProgram(runner, program, [count]);
        first += partsOf(each);
      }
      const written = parts as ReturnType<typeof runProgram>;
      const sum = device.make([1], () => sumProgram(written));
      written.dispose();
      return sum;
    },
    adamW(param, grad, moments, step) {
      expectFloats(grad, param.shape, "adamW: grad");
      expectFloats(moments.first, param.shape, "adamW: first moment");
      expectFloats(moments.second, param.shape, "adamW: second moment");
      const gradient = device.data(grad);
      if (gradient.size === 0) return;
      const { learningRate, beta1, beta2, epsilon, weightDecay, gradScale } = step;
      const numbers = {
        gradScale,
        ...{ beta1, newShare1: 1 - beta1, beta2, newShare2: 1 - beta2 },
        kept: 1 - learningRate * weightDecay,
        rootScale: 1 / Math.sqrt(1 - beta2 ** step.step),
        epsilon,
        rate: learningRate / (1 - beta1 ** step.step),
      };
      const program = elementwiseProgram("adamw", { grad: gradient }, gradient.size, adamW, numbers);
      runChanging(runner, program, {
        param: device.own(param),
        moment1: device.own(moments.first),
        moment2: device.own(moments.second),
      });
    },
  };
}
