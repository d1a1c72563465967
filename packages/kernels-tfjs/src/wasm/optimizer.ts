import { expectFloats, sizeOf, type Kernels } from "@laconic/kernels";
import type { WasmDevice } from "./wasm-device.ts";

export function optimizerKernels(device: WasmDevice): Pick<Kernels, "sumSquares" | "adamW"> {
  const { store } = device;
  return {
    sumSquares(tensors) {
      const sum = tensors.reduce((total, tensor) => {
        expectFloats(tensor, tensor.shape, "sumSquares");
        return total + device.run("sumSquares", tensor, sizeOf(tensor.shape));
      }, 0);
      return store.upload(Float32Array.of(sum), [1]);
    },
    adamW(param, grad, { first, second }, step) {
      for (const [name, tensor] of Object.entries({ param, grad, first, second }))
        expectFloats(tensor, param.shape, `adamW: ${name}`);
      for (const tensor of [param, first, second]) store.makeWritable(tensor);
      const { learningRate, beta1, beta2 } = step;
      device.run(
        "adamW",
        ...[param, grad, first, second, param, sizeOf(param.shape)],
        ...[1 - learningRate * step.weightDecay, learningRate / (1 - beta1 ** step.step)],
        ...[beta1, 1 - beta1, beta2, 1 - beta2],
        ...[step.epsilon, Math.sqrt(1 - beta2 ** step.step), step.gradScale],
      );
    },
  };
}
