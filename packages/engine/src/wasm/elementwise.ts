import {
  gateCurves,
  sizeOf,
  type KernelFamily,
  type Kernels,
  type Tensor,
  type GradientClip,
} from "../kernels/index.ts";
import type { WasmDevice } from "./wasm-device.ts";

type Elementwise = "reshape" | "add" | "multiply" | "scaled" | "accumulate" | "swiGlu" | "swiGluBackward";

export function elementwiseKernels(device: WasmDevice): Pick<Kernels, Elementwise> {
  const { store } = device;
  const pairwise =
    (name: "add" | "multiply") =>
    (a: Tensor, b: Tensor): Tensor => {
      const out = store.allocate(a.shape);
      device.divideRows({ countAt: 3, rows: [0, 1, 2] }, name, a, b, out, sizeOf(a.shape));
      return out;
    };
  return {
    reshape: (tensor, shape) => store.reshaped(tensor, shape),
    add: pairwise("add"),
    multiply: pairwise("multiply"),
    swiGlu(gate, up, { slope, cubic } = gateCurves.silu) {
      const out = store.allocate(gate.shape);
      const split = { countAt: 3, rows: [0, 1, 2] };
      device.divideRows(split, "swiGlu", gate, up, out, sizeOf(gate.shape), slope, cubic);
      return out;
    },
    scaled(x, factor) {
      const out = store.allocate(x.shape);
      device.divideRows({ countAt: 3, rows: [0, 2] }, "scale", x, factor, out, sizeOf(x.shape));
      return out;
    },
    accumulate(into, delta) {
      store.makeWritable(into);
      device.divideRows({ countAt: 3, rows: [0, 1, 2] }, "add", into, delta, into, sizeOf(into.shape));
    },
    swiGluBackward(dOut, gate, up, { slope, cubic } = gateCurves.silu) {
      const [dGate, dUp] = [store.allocate(gate.shape), store.allocate(gate.shape)];
      const split = { countAt: 5, rows: [0, 1, 2, 3, 4] };
      device.divideRows(split, "swiGluBackward", dOut, gate, up, dGate, dUp, sizeOf(gate.shape), slope, cubic);
      return { dGate, dUp };
    },
  };
}

export function optimizerKernels(device: WasmDevice): KernelFamily<"optimizer"> {
  const { store } = device;
  const gradScale = ({ squares, maxNorm }: GradientClip): number | null => {
    const [square = NaN] = store.floats(squares);
    if (!Number.isFinite(square)) return null;
    return Math.sqrt(square) > maxNorm ? maxNorm / Math.sqrt(square) : 1;
  };
  return {
    sumSquares(tensors) {
      const sum = tensors.reduce((total, tensor) => {
        return total + device.run("sumSquares", tensor, sizeOf(tensor.shape));
      }, 0);
      return store.upload(Float32Array.of(sum), [1]);
    },
    adamW(tensors, step) {
      const scale = step.clip ? gradScale(step.clip) : 1;
      if (scale === null) return;
      const { learningRate, beta1, beta2 } = step;
      for (const { param, grad, first, second } of tensors) {
        for (const tensor of [param, first, second]) store.makeWritable(tensor);
        device.divideRows(
          { countAt: 5, rows: [0, 1, 2, 3, 4] },
          "adamW",
          param,
          grad,
          first,
          second,
          param,
          sizeOf(param.shape),
          1 - learningRate * step.weightDecay,
          learningRate / (1 - beta1 ** step.step),
          beta1,
          1 - beta1,
          beta2,
          1 - beta2,
          step.epsilon,
          Math.sqrt(1 - beta2 ** step.step),
          scale,
        );
      }
    },
  };
}
