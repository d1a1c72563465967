import { expectFloats, type Kernels } from "@laconic/kernels";
import { scalarType } from "../native/scalar-type.ts";
import { operator } from "../native/torch.ts";
import type { TorchDevice } from "../torch-device.ts";

const fusedAdamW = operator("aten::_fused_adamw_", "", 0);
const dot = operator("aten::dot");
const stack = operator("aten::stack");
const sizeOf = (shape: readonly number[]): number => shape.reduce((product, length) => product * length, 1);

export function optimizerKernels(device: TorchDevice): Pick<Kernels, "sumSquares" | "adamW"> {
  const { torch, store } = device;
  return {
    sumSquares(tensors) {
      const handles = tensors.map((tensor) => store.get(tensor));
      return device.make(
        [1],
        () => {
          if (handles.length === 0) return torch.full([1], scalarType.float32, 0);
          const squares = handles.map(({ handle, shape, precision }) => {
            const flat = torch.view(precision === "full" ? handle : device.widened(handle), [sizeOf(shape)]);
            return torch.call(dot, flat, flat);
          });
          const all = torch.call(stack, { tensors: squares }, { int: 0 });
          return torch.view(torch.call(dot, all, torch.full([squares.length], scalarType.float32, 1)), [1]);
        },
        "full",
      );
    },
    adamW(param, grad, { first, second, master }, step) {
      for (const [name, tensor] of Object.entries({ grad, first, second, ...(master && { master }) }))
        expectFloats(tensor, param.shape, `adamW: ${name}`);
      const weights = store.get(param);
      const [gradient, m, v] = [store.get(grad), store.get(first), store.get(second)];
      const exact = master ? device.handle(master) : weights.handle;
      torch.run(() => {
        const wide = gradient.precision === "full" ? gradient.handle : device.widened(gradient.handle);
        const clipped = step.gradScale === 1 ? wide : torch.multiplyByNumber(wide, step.gradScale);
        // PyTorch counts steps in a float32 tensor.
        torch.callMany(
          fusedAdamW,
          ...[exact, clipped, m.handle, v.handle].map((handle) => ({ tensors: [handle] })),
          { tensors: [] },
          { tensors: [torch.full([1], scalarType.float32, step.step)] },
          ...[step.learningRate, step.beta1, step.beta2, step.weightDecay, step.epsilon].map((float) => ({ float })),
          ...[{ bool: false }, { bool: false }, null, null],
        );
        if (master) torch.copyInto(weights.handle, exact);
        return [];
      });
    },
  };
}
