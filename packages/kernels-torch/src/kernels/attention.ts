import { matrixSize, type KernelFamily, type Tensor } from "@laconic/engine/kernels";
import { scalarType } from "../native/scalar-type.ts";
import type { Handle, Handles } from "../native/torch.ts";
import type { TorchDevice } from "../torch-device.ts";
import type { DenseAttention, DenseSize, Rows } from "./dense-attention.ts";
import { packRows, padRows, paddedLayout, paddedRows, type PaddedLayout } from "./padding.ts";
import { treeAttention } from "./tree-attention.ts";

export function attentionKernels(device: TorchDevice, dense: DenseAttention): KernelFamily<"attention"> {
  const { torch, store } = device;
  const { float32 } = scalarType;
  const overTree = treeAttention(device, dense);
  const at = (x: Tensor, padded: PaddedLayout): Rows => paddedRows(device, device.rows(x), padded, x.shape[1]!);
  return {
    attention(q, k, v, shape, layout) {
      const [rows] = matrixSize(q);
      const { queryHeads } = shape;
      const [out, logSumExp] = torch.run<Handles<2>>(() => {
        if (rows === 0) return [torch.empty(q.shape, device.working), torch.empty([0, queryHeads], float32)];
        if (layout.tree) return overTree.forward({ q, k, v }, layout, layout.tree, shape);
        const padded = paddedLayout(device, layout, rows);
        const [mixed, sums] = dense.forward(at(q, padded), at(k, padded), at(v, padded), sizeOf(padded), shape);
        return [packRows(device, mixed, padded, q.shape[1]!), packRows(device, sums, padded, queryHeads)];
      });
      return {
        out: store.adoptFloats(out, q.shape),
        logSumExp: store.adoptFloats(logSumExp, [rows, queryHeads], "full"),
      };
    },
    attentionBackward(dOut, { q, k, v, out, logSumExp }, shape, layout) {
      const [rows] = matrixSize(q);
      const [dQ, dK, dV] = torch.run<Handles<3>>(() => {
        const empty = (x: Tensor): Handle => torch.empty(x.shape, device.working);
        if (rows === 0) return [empty(q), empty(k), empty(v)];
        if (layout.tree) return overTree.backward({ dOut, q, k, v, out, logSumExp }, layout, layout.tree, shape);
        const padded = paddedLayout(device, layout, rows);
        // Padded query rows and gradients are zero.
        const saved = {
          q: at(q, padded),
          k: at(k, padded),
          v: at(v, padded),
          out: at(out, padded),
          logSumExp: {
            handle: padRows(device, device.handle(logSumExp), padded, shape.queryHeads, float32),
            stride: shape.queryHeads,
          },
        };
        const gradients = dense.backward(at(dOut, padded), saved, sizeOf(padded), shape);
        const packed = (x: Handle, like: Tensor): Handle => packRows(device, x, padded, like.shape[1]!);
        return [packed(gradients[0], q), packed(gradients[1], k), packed(gradients[2], v)];
      });
      return {
        dQ: store.adoptFloats(dQ, q.shape),
        dK: store.adoptFloats(dK, k.shape),
        dV: store.adoptFloats(dV, v.shape),
      };
    },
  };
}

function sizeOf({ sequences, longest }: PaddedLayout): DenseSize {
  return { sequences, queries: longest, keys: longest, causal: true };
}
