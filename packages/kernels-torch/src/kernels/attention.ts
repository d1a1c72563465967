import { matrixSize, type AttentionShape, type Kernels, type Tensor } from "@laconic/kernels";
import { scalarType } from "../native/scalar-type.ts";
import { operator, type Argument, type Handle, type Handles } from "../native/torch.ts";
import type { TorchDevice } from "../torch-device.ts";
import { packRows, padRows, paddedLayout, type PaddedLayout } from "./padding.ts";

const forwardCpu = operator("aten::_scaled_dot_product_flash_attention_for_cpu", "", 2);
const backwardCpu = operator("aten::_scaled_dot_product_flash_attention_for_cpu_backward", "", 3);
const transpose = operator("aten::transpose", "int");
const contiguous = operator("aten::contiguous");

/** Flash attention on the CPU (Dao et al. 2022, PyTorch's kernel), over sequences padded to the longest. */
export function cpuAttentionKernels(device: TorchDevice): Pick<Kernels, "attention" | "attentionBackward"> {
  const { torch, store } = device;
  return {
    attention(q, k, v, shape, layout) {
      const [rows] = matrixSize(q);
      const padded = paddedLayout(device, layout, rows);
      const [out, logSumExp] = torch.run<Handles<2>>(() => {
        if (rows === 0)
          return [torch.empty(q.shape, device.working), torch.empty([0, shape.queryHeads], scalarType.float32)];
        const heads = (x: Tensor, count: number): Handle => toHeads(device, x, padded, count, shape.headDim);
        const [mixed, sums] = torch.callMany(
          forwardCpu,
          heads(q, shape.queryHeads),
          heads(k, shape.kvHeads),
          heads(v, shape.kvHeads),
          { float: 0 },
          { bool: true },
          null,
          scaleOf(shape),
        );
        return [
          fromHeads(device, mixed, padded, shape.queryHeads, shape.headDim),
          fromHeads(device, sums, padded, shape.queryHeads, 1),
        ];
      });
      return {
        out: store.adoptFloats(out, q.shape),
        logSumExp: store.adoptFloats(logSumExp, [rows, shape.queryHeads], "full"),
      };
    },
    attentionBackward(dOut, { q, k, v, out, logSumExp }, shape, layout) {
      const [rows] = matrixSize(q);
      const padded = paddedLayout(device, layout, rows);
      const sums = device.handle(logSumExp);
      const { queryHeads, kvHeads, headDim } = shape;
      const [dQ, dK, dV] = torch.run<Handles<3>>(() => {
        const empty = (x: Tensor): Handle => torch.empty(x.shape, device.working);
        if (rows === 0) return [empty(q), empty(k), empty(v)];
        const heads = (x: Tensor, count: number): Handle => toHeads(device, x, padded, count, headDim);
        // A padded query row is all zeros with a zero gradient: it adds nothing to any key.
        const paddedSums = padRows(device, sums, padded, queryHeads, scalarType.float32);
        const sumsByHead = torch.view(
          paddedSums,
          [padded.sequences, queryHeads, padded.longest],
          [padded.longest * queryHeads, 1, queryHeads],
        );
        const gradients = torch.callMany(
          backwardCpu,
          heads(dOut, queryHeads),
          heads(q, queryHeads),
          heads(k, kvHeads),
          heads(v, kvHeads),
          heads(out, queryHeads),
          sumsByHead,
          { float: 0 },
          { bool: true },
          null,
          scaleOf(shape),
        );
        const [dQuery, dKey, dValue] = gradients;
        return [
          fromHeads(device, dQuery, padded, queryHeads, headDim),
          fromHeads(device, dKey, padded, kvHeads, headDim),
          fromHeads(device, dValue, padded, kvHeads, headDim),
        ];
      });
      return {
        dQ: store.adoptFloats(dQ, q.shape),
        dK: store.adoptFloats(dK, k.shape),
        dV: store.adoptFloats(dV, v.shape),
      };
    },
  };
}

/** None where it is PyTorch's default. */
export function scaleOf({ scale, headDim }: AttentionShape): Argument {
  return scale === 1 / Math.sqrt(headDim) ? null : { some: { float: scale } };
}

/** [N, heads * width] as [S, heads, longest, width], a view of padded rows. */
function toHeads(device: TorchDevice, x: Tensor, padded: PaddedLayout, heads: number, width: number): Handle {
  return rowsToHeads(device, device.rows(x), padded, heads, width);
}

/** The same of rows that lie `stride` elements apart. */
export function rowsToHeads(
  device: TorchDevice,
  { handle, stride }: { readonly handle: Handle; readonly stride: number },
  padded: PaddedLayout,
  heads: number,
  width: number,
): Handle {
  const { longest, sequences, places } = padded;
  const row = places === null ? stride : heads * width;
  return device.torch.view(
    padRows(device, handle, padded, heads * width, device.working),
    [sequences, heads, longest, width],
    [longest * row, width, row, 1],
  );
}

/** The way back; `x` may have any strides, and lack the last axis when its width is 1. */
export function fromHeads(device: TorchDevice, x: Handle, padded: PaddedLayout, heads: number, width: number): Handle {
  const { torch } = device;
  const rowsFirst = torch.call(contiguous, torch.call(transpose, x, { int: 1 }, { int: 2 }), { int: 0 });
  return packRows(device, rowsFirst, padded, heads * width);
}
