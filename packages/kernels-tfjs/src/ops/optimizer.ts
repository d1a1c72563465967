import { expectFloats, type Kernels } from "@laconic/kernels";
import { add, div, mul, sqrt, square, sub, sum, tidy, zeros, type Tensor as TfTensor } from "@tensorflow/tfjs-core";
import type { OpsDevice } from "./ops-device.ts";

/** Gradient norm and AdamW. */
export function optimizerKernels(device: OpsDevice): Pick<Kernels, "sumSquares" | "adamW"> {
  const { store } = device;
  return {
    sumSquares: (tensors) =>
      device.make([1], () => {
        const parts = tensors.map((each) => device.data(each)).filter(({ size }) => size > 0);
        // One after the other: a single sum of them all would bind more buffers than WebGPU allows.
        return parts.reduce<TfTensor>((total, each) => add(total, sum(square(each))), zeros([1]));
      }),
    adamW(param, grad, moments, step) {
      expectFloats(grad, param.shape, "adamW: grad");
      expectFloats(moments.first, param.shape, "adamW: first moment");
      expectFloats(moments.second, param.shape, "adamW: second moment");
      const { learningRate, beta1, beta2, epsilon, weightDecay, gradScale } = step;
      const [p, g, m, v] = [param, grad, moments.first, moments.second].map((each) => device.data(each));
      if (!p || !g || !m || !v || p.size === 0) return;
      const made = tidy(() => {
        const scaled = mul(g, gradScale);
        const first = add(mul(m, beta1), mul(scaled, 1 - beta1));
        const second = add(mul(v, beta2), mul(square(scaled), 1 - beta2));
        const [correction1, correction2] = [1 - beta1 ** step.step, 1 - beta2 ** step.step];
        const size = add(mul(sqrt(second), 1 / Math.sqrt(correction2)), epsilon);
        const decayed = mul(p, 1 - learningRate * weightDecay);
        return [sub(decayed, mul(div(first, size), learningRate / correction1)), first, second];
      });
      [param, moments.first, moments.second].forEach((each, i) => store.replace(each, made[i] as (typeof made)[0]));
    },
  };
}
