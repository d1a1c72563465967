import { matrixSize, type AttentionShape, type Kernels, type SequenceLayout } from "@laconic/kernels";
import type { WasmDevice } from "./wasm-device.ts";

export function attentionKernels(device: WasmDevice): Pick<Kernels, "attention" | "attentionBackward"> {
  const { store } = device;
  return {
    attention(q, k, v, shape, layout) {
      const [rows] = matrixSize(q);
      const [out, logSumExp] = [store.allocate(q.shape), store.allocate([rows, shape.queryHeads])];
      const longest = padded(layout);
      device.withScratch((shape.headDim + 4) * longest + 4 * shape.headDim + 4, (scratch) =>
        device.run("attention", q, k, v, out, logSumExp, layout.offsetsOnDevice, ...sizes(layout, shape), scratch),
      );
      return { out, logSumExp };
    },
    attentionBackward(dOut, { q, k, v, out, logSumExp }, shape, layout) {
      const [dQ, dK, dV] = [store.allocate(q.shape), store.zeros(k.shape), store.zeros(v.shape)];
      const { offsetsOnDevice } = layout;
      const longest = padded(layout);
      device.withScratch((2 * shape.headDim + 8) * longest + 8 * shape.headDim + 4, (scratch) =>
        device.run(
          "attentionBackward",
          dOut,
          q,
          k,
          v,
          out,
          logSumExp,
          dQ,
          dK,
          dV,
          offsetsOnDevice,
          ...sizes(layout, shape),
          scratch,
        ),
      );
      return { dQ, dK, dV };
    },
  };
}

function padded(layout: SequenceLayout): number {
  return (layout.longest + 3) & ~3;
}

function sizes(layout: SequenceLayout, shape: AttentionShape): number[] {
  return [layout.offsets.length - 1, shape.queryHeads, shape.kvHeads, shape.headDim, shape.scale];
}
