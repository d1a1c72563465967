import { matrixSize, type AttentionShape, type Kernels, type SegmentTree, type SequenceLayout } from "@laconic/kernels";
import type { WasmDevice } from "./wasm-device.ts";

export function attentionKernels(device: WasmDevice): Pick<Kernels, "attention" | "attentionBackward"> {
  const { store } = device;
  return {
    attention(q, k, v, shape, layout) {
      const [rows] = matrixSize(q);
      const [out, logSumExp] = [store.allocate(q.shape), store.allocate([rows, shape.queryHeads])];
      const longest = padded(layout);
      const { offsetsOnDevice, tree } = layout;
      if (tree) {
        const before = store.upload(rowsBefore(layout, tree), tree.parentsOnDevice.shape);
        device.withScratch((2 * shape.headDim + 4) * longest + 4 * shape.headDim + 4, (scratch) => {
          const [segments, ...widths] = sizes(layout, shape);
          const at = [offsetsOnDevice, before, segments as number, longest];
          device.run("attentionTree", q, k, v, out, logSumExp, ...at, ...widths, scratch);
        });
        store.free(before);
        return { out, logSumExp };
      }
      device.withScratch((shape.headDim + 4) * longest + 4 * shape.headDim + 4, (scratch) =>
        device.run("attention", q, k, v, out, logSumExp, offsetsOnDevice, ...sizes(layout, shape), scratch),
      );
      return { out, logSumExp };
    },
    attentionBackward(dOut, { q, k, v, out, logSumExp }, shape, layout) {
      const [dQ, dK, dV] = [store.allocate(q.shape), store.zeros(k.shape), store.zeros(v.shape)];
      const { offsetsOnDevice, tree } = layout;
      const longest = padded(layout);
      if (tree) {
        const before = store.upload(rowsBefore(layout, tree), tree.parentsOnDevice.shape);
        device.withScratch((3 * shape.headDim + 8) * longest + 8 * shape.headDim + 4, (scratch) => {
          const [segments, ...widths] = sizes(layout, shape);
          const at = [offsetsOnDevice, before, tree.parentsOnDevice, segments as number, longest];
          const gradients = [dQ, dK, dV];
          device.run("attentionTreeBackward", dOut, q, k, v, out, logSumExp, ...gradients, ...at, ...widths, scratch);
        });
        store.free(before);
        return { dQ, dK, dV };
      }
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

/** Of each segment the rows of its ancestors. */
function rowsBefore({ offsets }: SequenceLayout, { parents }: SegmentTree): Int32Array {
  const before = new Int32Array(parents.length);
  parents.forEach((parent, s) => {
    if (parent < 0) return;
    before[s] = (before[parent] as number) + (offsets[parent + 1] as number) - (offsets[parent] as number);
  });
  return before;
}

function padded(layout: SequenceLayout): number {
  return (layout.longest + 3) & ~3;
}

function sizes(layout: SequenceLayout, shape: AttentionShape): number[] {
  return [layout.offsets.length - 1, shape.queryHeads, shape.kvHeads, shape.headDim, shape.scale];
}
