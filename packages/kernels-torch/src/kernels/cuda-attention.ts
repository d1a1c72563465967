import { matrixSize, type AttentionShape, type Kernels, type Tensor } from "@laconic/kernels";
import { scalarType } from "../native/scalar-type.ts";
import { operator, type Argument, type Handle } from "../native/torch.ts";
import type { TorchDevice } from "../torch-device.ts";
import { attentionKernels } from "./attention.ts";
import { scaleOf, sumsByHead, type DenseAttention, type DenseSize, type Rows } from "./dense-attention.ts";

const forward = operator("aten::_flash_attention_forward", "", 5);
const backward = operator("aten::_flash_attention_backward", "", 3);
const transpose = operator("aten::transpose", "int");
const contiguous = operator("aten::contiguous");

/** Optional arguments that newer versions add to the end are none; older versions do not read them. */
const none = [null, null, null, null, null, null] as const;

/**
 * Flash attention on packed sequences (Dao 2023, PyTorch's kernel): bfloat16, heads of up to 256 in steps of 8. What the
 * backward pass wants back is kept with the log-sum-exps.
 *
 * @param plain - for heads that the kernel does not take
 */
export function cudaAttentionKernels(
  device: TorchDevice,
  plain: Pick<Kernels, "attention" | "attentionBackward">,
): Pick<Kernels, "attention" | "attentionBackward"> {
  const { torch, store } = device;
  const heads = (x: Tensor, rows: number, count: number, width: number): Handle => {
    const { handle, stride } = device.rows(x);
    return torch.view(handle, [rows, count, width], [stride, width, 1]);
  };
  const fits = ({ headDim }: AttentionShape): boolean => headDim % 8 === 0 && headDim <= 256;
  const overTrees = attentionKernels(device, cudaDenseAttention(device));
  return {
    attention(q, k, v, shape, layout) {
      if (!fits(shape) || q.shape[0] === 0) return plain.attention(q, k, v, shape, layout);
      if (layout.tree) return overTrees.attention(q, k, v, shape, layout);
      const [rows] = matrixSize(q);
      const { queryHeads, kvHeads, headDim } = shape;
      const offsets = device.handle(layout.offsetsOnDevice);
      const [out, logSumExp, raw, state, unused] = torch.run<readonly Handle[]>(() => {
        const [mixed, sums, random, other] = torch.callMany(
          forward,
          heads(q, rows, queryHeads, headDim),
          heads(k, rows, kvHeads, headDim),
          heads(v, rows, kvHeads, headDim),
          { some: offsets },
          { some: offsets },
          { int: layout.longest },
          { int: layout.longest },
          { float: 0 },
          { bool: true },
          { bool: false },
          ...([scaleOf(shape), ...none] as readonly Argument[]),
        );
        // [heads, N] as the contract has it, [N, heads].
        const byRow = torch.call(contiguous, torch.call(transpose, sums, { int: 0 }, { int: 1 }), { int: 0 });
        return [torch.view(torch.call(contiguous, mixed, { int: 0 }), q.shape), byRow, sums, random, other];
      }) as [Handle, Handle, Handle, Handle, Handle];
      const kept = store.adoptFloats(logSumExp, [rows, queryHeads], "full");
      for (const [name, handle] of Object.entries({ raw, state, unused })) store.attach(kept, `flash ${name}`, handle);
      return { out: store.adoptFloats(out, q.shape), logSumExp: kept };
    },
    attentionBackward(dOut, { q, k, v, out, logSumExp }, shape, layout) {
      if (!fits(shape) || q.shape[0] === 0)
        return plain.attentionBackward(dOut, { q, k, v, out, logSumExp }, shape, layout);
      if (layout.tree) return overTrees.attentionBackward(dOut, { q, k, v, out, logSumExp }, shape, layout);
      const [rows] = matrixSize(q);
      const { queryHeads, kvHeads, headDim } = shape;
      const saved = store.get(logSumExp);
      const offsets = device.handle(layout.offsetsOnDevice);
      const gradients = torch.run(() =>
        torch
          .callMany(
            backward,
            heads(dOut, rows, queryHeads, headDim),
            heads(q, rows, queryHeads, headDim),
            heads(k, rows, kvHeads, headDim),
            heads(v, rows, kvHeads, headDim),
            heads(out, rows, queryHeads, headDim),
            store.attached(saved, "flash raw"),
            offsets,
            offsets,
            { int: layout.longest },
            { int: layout.longest },
            { float: 0 },
            { bool: true },
            store.attached(saved, "flash state"),
            store.attached(saved, "flash unused"),
            ...([scaleOf(shape), null, null] as readonly Argument[]),
          )
          .map((gradient, i) =>
            torch.view(
              torch.call(contiguous, gradient, { int: 0 }),
              ([q, k, v] as const)[i]?.shape as readonly number[],
            ),
          ),
      ) as [Handle, Handle, Handle];
      return {
        dQ: store.adoptFloats(gradients[0], q.shape),
        dK: store.adoptFloats(gradients[1], k.shape),
        dV: store.adoptFloats(gradients[2], v.shape),
      };
    },
  };
}

/** The same kernel between sequences of equal length. */
function cudaDenseAttention(device: TorchDevice): DenseAttention {
  const { torch } = device;
  const heads = (x: Rows, sequences: number, length: number, count: number, width: number): Handle => {
    const { handle, stride, offset = 0, sequenceStride } = x;
    const strides = [sequenceStride ?? length * stride, stride, width, 1];
    return torch.view(handle, [sequences, length, count, width], strides, offset);
  };
  const matrix = (x: Handle, rows: number, width: number): Handle =>
    torch.view(torch.call(contiguous, x, { int: 0 }), [rows, width]);
  const attend = (q: Rows, k: Rows, v: Rows, size: DenseSize, shape: AttentionShape): readonly Handle[] =>
    torch.callMany(
      forward,
      heads(q, size.sequences, size.queries, shape.queryHeads, shape.headDim),
      heads(k, size.sequences, size.keys, shape.kvHeads, shape.headDim),
      heads(v, size.sequences, size.keys, shape.kvHeads, shape.headDim),
      null,
      null,
      { int: size.queries },
      { int: size.keys },
      { float: 0 },
      { bool: size.causal },
      { bool: false },
      ...([scaleOf(shape), ...none] as readonly Argument[]),
    );
  return {
    forward(q, k, v, size, shape) {
      const { sequences, queries } = size;
      const [mixed, sums] = attend(q, k, v, size, shape) as readonly [Handle, Handle];
      const rows = sequences * queries;
      // [sequences, heads, queries] as the contract has it, by rows.
      const byRow = torch.call(transpose, sums, { int: 1 }, { int: 2 });
      return [matrix(mixed, rows, shape.queryHeads * shape.headDim), matrix(byRow, rows, shape.queryHeads)];
    },
    backward(dOut, { q, k, v, out, logSumExp }, size, shape) {
      const { sequences, queries, keys } = size;
      const { queryHeads, kvHeads, headDim } = shape;
      const byHead = torch.call(contiguous, sumsByHead(device, logSumExp, size, queryHeads), { int: 0 });
      // Nothing is dropped, so nothing is drawn: what the forward pass returns of its random state is not read.
      const state = torch.full([2], scalarType.int64, 0);
      const gradients = torch.callMany(
        backward,
        heads(dOut, sequences, queries, queryHeads, headDim),
        heads(q, sequences, queries, queryHeads, headDim),
        heads(k, sequences, keys, kvHeads, headDim),
        heads(v, sequences, keys, kvHeads, headDim),
        heads(out, sequences, queries, queryHeads, headDim),
        byHead,
        null,
        null,
        { int: queries },
        { int: keys },
        { float: 0 },
        { bool: size.causal },
        state,
        torch.full([], scalarType.int64, 0),
        ...([scaleOf(shape), null, null] as readonly Argument[]),
      );
      return [
        matrix(gradients[0], sequences * queries, queryHeads * headDim),
        matrix(gradients[1], sequences * keys, kvHeads * headDim),
        matrix(gradients[2], sequences * keys, kvHeads * headDim),
      ];
    },
  };
}
