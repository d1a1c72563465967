import type { AttentionShape } from "@laconic/engine/kernels";
import { scalarType } from "../native/scalar-type.ts";
import { operator, type Handle, type Handles } from "../native/torch.ts";
import type { TorchDevice } from "../torch-device.ts";
import type { DenseAttention, DenseSize, Rows } from "./dense-attention.ts";

const bmm = operator("aten::bmm");
const cat = operator("aten::cat");
const exp = operator("aten::exp");
const multiply = operator("aten::mul", "Tensor");
const multiplyInto = operator("aten::mul_", "Tensor");
const logSumExpOf = operator("aten::logsumexp");
const contiguous = operator("aten::contiguous");

/** Scores of at most this many elements are held at once. */
const maxScores = 2 ** 26;

/**
 * Attention of plain products in float32, a few sequences at a time: on every device, and what fused kernels are checked
 * against where a device is new.
 */
export function mathDenseAttention(device: TorchDevice): DenseAttention {
  const { torch } = device;
  const { float32 } = scalarType;

  /** Rows as [sequences * kvHeads, group * length, width] in float32. */
  const grouped = (
    { handle, stride, offset = 0, sequenceStride }: Rows,
    { sequences }: DenseSize,
    length: number,
    { kvHeads }: AttentionShape,
    heads: number,
    width: number,
    full = false,
  ): Handle => {
    const group = heads / kvHeads;
    const view = torch.view(
      handle,
      [sequences, kvHeads, group, length, width],
      [sequenceStride ?? length * stride, group * width, width, stride, 1],
      offset,
    );
    const rows = torch.call(contiguous, view, { int: 0 });
    return torch.view(full ? rows : device.widened(rows), [sequences * kvHeads, group * length, width]);
  };
  const ungrouped = (
    x: Handle,
    { sequences }: DenseSize,
    length: number,
    { kvHeads }: AttentionShape,
    heads: number,
    width: number,
  ): Handle => {
    const group = heads / kvHeads;
    const view = torch.view(
      x,
      [sequences, length, kvHeads, group, width],
      [length * heads * width, width, group * length * width, length * width, 1],
    );
    return torch.view(torch.call(contiguous, view, { int: 0 }), [sequences * length, heads * width]);
  };
  /** Runs `body` on runs of sequences small enough, and puts the results one behind the other. */
  const inRuns = <Count extends 2 | 3>(
    { sequences, queries, keys }: DenseSize,
    { queryHeads, kvHeads }: AttentionShape,
    body: (part: (x: Handle, rowsPerSequence: number, width: number) => Handle, sequences: number) => Handles<Count>,
  ): Handle[] => {
    const most = Math.max(1, Math.floor(maxScores / (queryHeads * queries * keys)));
    const results: Handles<Count>[] = [];
    for (let start = 0; start < sequences; start += most) {
      const count = Math.min(most, sequences - start);
      const part = (x: Handle, rows: number, width: number): Handle =>
        torch.view(x, [count * kvHeads, rows, width], [rows * width, width, 1], start * kvHeads * rows * width);
      results.push(torch.run(() => body(part, count)));
    }
    const [first] = results;
    if (results.length === 1 && first) return [...first];
    return Array.from(first ?? [], (_, i) =>
      torch.call(cat, { tensors: results.map((each) => (each as readonly Handle[])[i] as Handle) }, { int: 0 }),
    );
  };
  const transposed = (x: Handle, batch: number, rows: number, width: number): Handle =>
    torch.view(x, [batch, width, rows], [rows * width, 1, width]);
  /** [queries, queries]: 0 up to the own position, -infinity behind it. */
  const causalMask = (length: number): Handle => {
    const values = new Float32Array(length * length);
    for (let i = 0; i < length; i++) values.fill(-Infinity, i * length + i + 1, (i + 1) * length);
    return torch.upload(values, [length, length]);
  };
  const scoresOf = (
    q: Handle,
    k: Handle,
    { queries, keys }: DenseSize,
    shape: AttentionShape,
    mask: Handle | null,
    count: number,
  ): Handle => {
    const [batch, group] = [count * shape.kvHeads, shape.queryHeads / shape.kvHeads];
    const products = torch.call(bmm, q, transposed(k, batch, keys, shape.headDim));
    const scaled = torch.view(torch.multiplyByNumber(products, shape.scale), [batch * group, queries, keys]);
    return torch.view(mask === null ? scaled : torch.add(scaled, mask), [batch, group * queries, keys]);
  };

  return {
    forward(q, k, v, size, shape) {
      const { queryHeads, kvHeads, headDim } = shape;
      const { queries, keys } = size;
      const span = (queryHeads / kvHeads) * queries;
      const mask = size.causal ? causalMask(queries) : null;
      const query = grouped(q, size, queries, shape, queryHeads, headDim);
      const [key, value] = [k, v].map((x) => grouped(x, size, keys, shape, kvHeads, headDim)) as [Handle, Handle];
      const [mixed, logSums] = inRuns<2>(size, shape, (part, count) => {
        const scores = scoresOf(part(query, span, headDim), part(key, keys, headDim), size, shape, mask, count);
        const total = torch.call(logSumExpOf, scores, { ints: [2] }, { bool: true });
        const shares = torch.call(exp, torch.subtract(scores, total));
        return [torch.call(bmm, shares, part(value, keys, headDim)), total];
      }) as [Handle, Handle];
      return [
        device.rounded(ungrouped(mixed, size, queries, shape, queryHeads, headDim)),
        ungrouped(logSums, size, queries, shape, queryHeads, 1),
      ];
    },
    backward(dOut, { q, k, v, out, logSumExp }, size, shape) {
      const { queryHeads, kvHeads, headDim, scale } = shape;
      const { queries, keys } = size;
      const span = (queryHeads / kvHeads) * queries;
      const mask = size.causal ? causalMask(queries) : null;
      const [query, dMixed, mixed] = [q, dOut, out].map((x) =>
        grouped(x, size, queries, shape, queryHeads, headDim),
      ) as [Handle, Handle, Handle];
      const [key, value] = [k, v].map((x) => grouped(x, size, keys, shape, kvHeads, headDim)) as [Handle, Handle];
      const sums = grouped(logSumExp, size, queries, shape, queryHeads, 1, true);
      const gradients = inRuns<3>(size, shape, (part, count) => {
        const n = count * kvHeads;
        const [ownQueries, dHeads] = [part(query, span, headDim), part(dMixed, span, headDim)];
        const ownKeys = part(key, keys, headDim);
        const scores = scoresOf(ownQueries, ownKeys, size, shape, mask, count);
        const shares = torch.call(exp, torch.subtract(scores, part(sums, span, 1)));
        const ones = torch.full([n, headDim, 1], float32, 1);
        const delta = torch.call(bmm, torch.call(multiply, dHeads, part(mixed, span, headDim)), ones);
        const dShares = torch.call(bmm, dHeads, transposed(part(value, keys, headDim), n, keys, headDim));
        const dScores = torch.call(multiply, shares, torch.subtract(dShares, delta));
        torch.call(multiplyInto, dScores, torch.full([1], float32, scale));
        const across = (x: Handle): Handle => transposed(x, n, span, keys);
        return [
          torch.call(bmm, dScores, ownKeys),
          torch.call(bmm, across(dScores), ownQueries),
          torch.call(bmm, across(shares), dHeads),
        ];
      }) as [Handle, Handle, Handle];
      const back = (x: Handle, length: number, heads: number): Handle =>
        device.rounded(ungrouped(x, size, length, shape, heads, headDim));
      return [
        back(gradients[0], queries, queryHeads),
        back(gradients[1], keys, kvHeads),
        back(gradients[2], keys, kvHeads),
      ];
    },
  };
}
