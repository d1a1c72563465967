import type { AttentionShape } from "@laconic/engine/kernels";
import { operator, type Argument, type Handle, type Handles } from "../native/torch.ts";
import type { TorchDevice } from "../torch-device.ts";

const forwardCpu = operator("aten::_scaled_dot_product_flash_attention_for_cpu", "", 2);
const backwardCpu = operator("aten::_scaled_dot_product_flash_attention_for_cpu_backward", "", 3);
const transpose = operator("aten::transpose", "int");
const contiguous = operator("aten::contiguous");

/** A matrix by its rows, `stride` elements apart. */
export interface Rows {
  readonly handle: Handle;
  readonly stride: number;
  /** Elements before the first row; 0 by default. */
  readonly offset?: number;
  /** Elements from the first row of a sequence to that of the next; its rows by default. */
  readonly sequenceStride?: number;
}

/** Equally long sequences one behind the other. */
export interface DenseSize {
  readonly sequences: number;
  /** Rows of a sequence that attend, and rows that they attend to. */
  readonly queries: number;
  readonly keys: number;
  /** Each to its own and those before: then there are as many keys as queries. */
  readonly causal: boolean;
}

/** What the gradient is computed from. */
export interface DenseSaved extends Readonly<Record<"q" | "k" | "v" | "out", Rows>> {
  /** Of everything that the rows attend to, also outside these keys: then gradients are those through these keys. */
  readonly logSumExp: Rows;
}

/** Attention between sequences of equal length, all matrices by rows: q [sequences * queries, queryHeads * headDim]. */
export interface DenseAttention {
  /** out as q, log-sum-exp of the scaled scores in float32 [rows of q, queryHeads]. */
  forward(q: Rows, k: Rows, v: Rows, size: DenseSize, shape: AttentionShape): Handles<2>;
  /** Contiguous, as q, k and v. */
  backward(dOut: Rows, saved: DenseSaved, size: DenseSize, shape: AttentionShape): Handles<3>;
}

/** Flash attention on the CPU (Dao et al. 2022, PyTorch's kernel). */
export function cpuDenseAttention(device: TorchDevice): DenseAttention {
  const { torch } = device;
  return {
    forward(q, k, v, size, shape) {
      const { queryHeads, kvHeads, headDim } = shape;
      const [mixed, sums] = torch.callMany(
        forwardCpu,
        heads(device, q, size.queries, size.sequences, queryHeads, headDim),
        heads(device, k, size.keys, size.sequences, kvHeads, headDim),
        heads(device, v, size.keys, size.sequences, kvHeads, headDim),
        { float: 0 },
        { bool: size.causal },
        null,
        scaleOf(shape),
      );
      const rows = size.sequences * size.queries;
      return [byRows(device, mixed, [rows, queryHeads * headDim]), byRows(device, sums, [rows, queryHeads])];
    },
    backward(dOut, { q, k, v, out, logSumExp }, size, shape) {
      const { queryHeads, kvHeads, headDim } = shape;
      const { sequences, queries, keys } = size;
      const gradients = torch.callMany(
        backwardCpu,
        heads(device, dOut, queries, sequences, queryHeads, headDim),
        heads(device, q, queries, sequences, queryHeads, headDim),
        heads(device, k, keys, sequences, kvHeads, headDim),
        heads(device, v, keys, sequences, kvHeads, headDim),
        heads(device, out, queries, sequences, queryHeads, headDim),
        sumsByHead(device, logSumExp, size, queryHeads),
        { float: 0 },
        { bool: size.causal },
        null,
        scaleOf(shape),
      );
      const [queryRows, keyRows] = [sequences * queries, sequences * keys];
      return [
        byRows(device, gradients[0], [queryRows, queryHeads * headDim]),
        byRows(device, gradients[1], [keyRows, kvHeads * headDim]),
        byRows(device, gradients[2], [keyRows, kvHeads * headDim]),
      ];
    },
  };
}

/** None where it is PyTorch's default. */
export function scaleOf({ scale, headDim }: AttentionShape): Argument {
  return scale === 1 / Math.sqrt(headDim) ? null : { some: { float: scale } };
}

/** Log-sum-exps by rows as [sequences, heads, queries]. */
function sumsByHead(
  { torch }: TorchDevice,
  { handle, stride, offset = 0, sequenceStride }: Rows,
  { sequences, queries }: DenseSize,
  queryHeads: number,
): Handle {
  const strides = [sequenceStride ?? queries * stride, 1, stride];
  return torch.view(handle, [sequences, queryHeads, queries], strides, offset);
}

/** Rows as [sequences, heads, length, width]. */
function heads(
  { torch }: TorchDevice,
  { handle, stride, offset = 0, sequenceStride }: Rows,
  length: number,
  sequences: number,
  count: number,
  width: number,
): Handle {
  const strides = [sequenceStride ?? length * stride, width, stride, 1];
  return torch.view(handle, [sequences, count, length, width], strides, offset);
}

/** The way back, of any strides: [sequences, heads, length] or with a width as matrix of rows. */
function byRows({ torch }: TorchDevice, x: Handle, shape: readonly [rows: number, width: number]): Handle {
  return torch.view(torch.call(contiguous, torch.call(transpose, x, { int: 1 }, { int: 2 }), { int: 0 }), shape);
}
