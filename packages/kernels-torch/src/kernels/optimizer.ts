import { sizeOf, type AdamWStep, type GradientClip, type KernelFamily } from "@laconic/engine/kernels";
import { blockLength, stretches, type Stretch } from "../arena.ts";
import { scalarType } from "../native/scalar-type.ts";
import { aten, type Argument, type Handle } from "../native/torch.ts";
import type { TorchDevice } from "../torch-device.ts";

export function optimizerKernels(device: TorchDevice): KernelFamily<"optimizer"> {
  const { torch, store } = device;
  const mps = torch.device === "mps";

  const norms = ({ length, view }: Stretch): Handle[] => {
    const blocks = Math.floor(length / blockLength);
    const rest = length - blocks * blockLength;
    const normsOf = (rows: Handle, count: number): Handle =>
      torch.view(torch.call(aten.rowNorms, rows, { int: 2 }, { int: 0 }), [count]);
    return [
      ...(blocks > 0 ? [normsOf(view(0, [blocks, blockLength]), blocks)] : []),
      ...(rest > 0 ? [normsOf(torch.view(view(0), [1, rest], undefined, blocks * blockLength), 1)] : []),
    ];
  };

  /** Shared by both halves of a step; null without clipping. */
  const divisor = ({ squares, maxNorm }: GradientClip): Handle | null => {
    if (maxNorm === Infinity) return null;
    return store.derive(store.get(squares), `divisor ${maxNorm}`, () => {
      const norm = torch.call(aten.sqrt, device.handle(squares));
      const share = maxNorm === 1 ? norm : torch.multiplyByNumber(norm, 1 / maxNorm);
      return torch.call(aten.maximum, share, device.number(1, [1]));
    });
  };

  const infinite = ({ squares }: GradientClip): Handle =>
    store.derive(store.get(squares), "infinite", () => {
      const match = torch.full([1], scalarType.float32, 0);
      // Divides its input, here by 1.
      torch.callMany(aten.findInfinite, { tensors: [device.handle(squares)] }, match, device.number(1, [1]));
      return match;
    });

  /** MPS' fused step ignores clipping (PyTorch's source up to 2.14). False if the sum is not finite. */
  const clipOnMps = (clip: GradientClip, parts: readonly Stretch[]): boolean => {
    const sum = new Float32Array(1);
    torch.read(device.handle(clip.squares), [1], sum);
    if (!Number.isFinite(sum[0])) return false;
    const by = divisor(clip);
    if (by === null || Math.sqrt(sum[0]!) <= clip.maxNorm) return true;
    const factor = torch.call(aten.reciprocal, by);
    for (const { view } of parts) torch.multiplyInPlace(view(1), factor);
    return true;
  };

  /** A float32 tensor, as PyTorch counts. */
  const stepCount = ({ clip, step }: AdamWStep): Handle => {
    const make = (): Handle => torch.full([1], scalarType.float32, step);
    return clip ? store.derive(store.get(clip.squares), `step ${step}`, make) : make();
  };

  return {
    sumSquares(tensors) {
      return device.make(
        [1],
        () => {
          const vectors = tensors.map((tensor) => [device.vector(tensor, true)]);
          const parts = stretches(torch, vectors).flatMap(norms);
          if (parts.length === 0) return torch.full([1], scalarType.float32, 0);
          const all = parts.length === 1 ? parts[0]! : torch.cat(parts, 0);
          return torch.view(torch.call(aten.dot, all, all), [1]);
        },
        "full",
      );
    },
    adamW(tensors, step) {
      if (tensors.length === 0) return;
      torch.run(() => {
        const table = tensors
          .filter(({ param }) => sizeOf(param.shape) > 0)
          .map(({ param, grad, first, second, master }) => [
            device.vector(master ?? param),
            device.vector(grad, true),
            device.vector(first),
            device.vector(second),
            ...(master ? [device.vector(param)] : []),
          ]);
        const parts = stretches(torch, table);
        const column = (index: number): Argument => ({ tensors: parts.map(({ view }) => view(index)) });
        if (mps && step.clip && !clipOnMps(step.clip, parts)) return;
        const scale = step.clip && !mps ? divisor(step.clip) : null;
        const count = stepCount(step);
        torch.callMany(
          aten.fusedAdamW,
          ...[0, 1, 2, 3].map(column),
          { tensors: [] },
          { tensors: parts.map(() => count) },
          ...[step.learningRate, step.beta1, step.beta2, step.weightDecay, step.epsilon].map((float) => ({ float })),
          { bool: false },
          { bool: false },
          scale === null ? null : { some: scale },
          step.clip && !mps ? { some: infinite(step.clip) } : null,
        );
        if (tensors.some(({ master }) => master)) for (const { view } of parts) torch.copyInto(view(4), view(0));
        for (const { param } of tensors) store.changed(store.get(param));
      });
    },
  };
}
