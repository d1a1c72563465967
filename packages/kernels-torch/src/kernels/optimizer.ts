import { expectUpdates, sizeOf, type GradientClip, type Kernels } from "@laconic/kernels";
import { stretches } from "../arena.ts";
import { scalarType } from "../native/scalar-type.ts";
import { operator, type Argument, type Handle } from "../native/torch.ts";
import type { TorchDevice } from "../torch-device.ts";

const fusedAdamW = operator("aten::_fused_adamw_", "", 0);
const dot = operator("aten::dot");
const cat = operator("aten::cat");
const maximum = operator("aten::maximum");
const sqrt = operator("aten::sqrt");
const rowNorms = operator("aten::norm_except_dim");
const findInfinite = operator("aten::_amp_foreach_non_finite_check_and_unscale_", "", 0);

/** Numbers whose squares are added up as one: a longer sum in float32 loses the smaller ones. */
const blockLength = 4096;

/** Gradient norm and AdamW, over stretches of memory instead of tensors. */
export function optimizerKernels(device: TorchDevice): Pick<Kernels, "sumSquares" | "adamW"> {
  const { torch, store } = device;

  /** Norms whose squares add up to the vector's sum of squares: of blocks, and of what is left of it. */
  const norms = (vector: Handle, length: number): Handle[] => {
    const blocks = Math.floor(length / blockLength);
    const rest = length - blocks * blockLength;
    const parts: [count: number, width: number, start: number][] = [
      [blocks, blockLength, 0],
      [1, rest, blocks * blockLength],
    ];
    return parts
      .filter(([count, width]) => count > 0 && width > 0)
      .map(([count, width, start]) => {
        const rows = torch.view(vector, [count, width], [width, 1], start);
        return torch.view(torch.call(rowNorms, rows, { int: 2 }, { int: 0 }), [count]);
      });
  };

  /** What gradients are divided by; null where they are taken as they are. */
  const divisor = ({ squares, maxNorm }: GradientClip): Handle | null => {
    if (maxNorm === Infinity) return null;
    const share = torch.multiplyByNumber(torch.call(sqrt, device.handle(squares)), 1 / maxNorm);
    return torch.view(torch.call(maximum, share, torch.view(device.number(1), [1])), [1]);
  };

  /** 1 where the sum is not finite, else 0. */
  const infinite = ({ squares }: GradientClip): Handle => {
    const found = torch.full([1], scalarType.float32, 0);
    const copy = torch.multiplyByNumber(device.handle(squares), 1);
    torch.callMany(findInfinite, { tensors: [copy] }, found, device.number(1));
    return found;
  };

  return {
    sumSquares(tensors) {
      return device.make(
        [1],
        () => {
          const vectors = tensors.map((tensor) => [device.vector(tensor, true)]);
          const parts = stretches(torch, vectors).flatMap(({ vectors: [vector], length }) =>
            norms(vector as Handle, length),
          );
          if (parts.length === 0) return torch.full([1], scalarType.float32, 0);
          const all = parts.length === 1 ? (parts[0] as Handle) : torch.call(cat, { tensors: parts }, { int: 0 });
          return torch.view(torch.call(dot, all, all), [1]);
        },
        "full",
      );
    },
    adamW(tensors, step) {
      expectUpdates(tensors);
      torch.run(() => {
        const table = tensors
          .filter(({ param }) => sizeOf(param.shape) > 0)
          .map(({ param, grad, first, second, master }) => [
            ...[device.vector(master ?? param), device.vector(grad, true), device.vector(first), device.vector(second)],
            ...(master ? [device.vector(param)] : []),
          ]);
        const parts = stretches(torch, table);
        const column = (index: number): Argument => ({ tensors: parts.map(({ vectors }) => vectors[index] as Handle) });
        const scale = step.clip ? divisor(step.clip) : null;
        // PyTorch counts steps in a float32 tensor.
        const count = torch.full([1], scalarType.float32, step.step);
        torch.callMany(
          fusedAdamW,
          ...[0, 1, 2, 3].map(column),
          { tensors: [] },
          { tensors: parts.map(() => count) },
          ...[step.learningRate, step.beta1, step.beta2, step.weightDecay, step.epsilon].map((float) => ({ float })),
          ...[{ bool: false }, { bool: false }],
          scale === null ? null : { some: scale },
          step.clip ? { some: infinite(step.clip) } : null,
        );
        for (const { vectors } of parts)
          if (vectors.length > 4) torch.copyInto(vectors[4] as Handle, vectors[0] as Handle);
        for (const { param } of tensors) store.changed(store.get(param));
        return [];
      });
    },
  };
}
