import type { AttentionShape } from "@laconic/engine/kernels";
import { aten, type Argument, type Handle, type Handles } from "../native/torch.ts";
import type { TorchDevice } from "../torch-device.ts";
import { scalarType } from "../native/scalar-type.ts";

/** Matrix by its rows, `stride` elements apart. */
export interface Rows {
  readonly handle: Handle;
  readonly stride: number;
  /** Elements before the first row. Default 0. */
  readonly offset?: number;
  /** Elements between first rows of sequences. Default: contiguous. */
  readonly sequenceStride?: number;
}

export interface DenseSize {
  readonly sequences: number;
  readonly queries: number;
  readonly keys: number;
  /** True if rows attend only to themselves and earlier rows; then `keys` equals `queries`. */
  readonly causal: boolean;
}

export interface DenseSaved extends Readonly<Record<"q" | "k" | "v" | "out", Rows>> {
  /** Includes keys outside this call, whose gradients are not computed. */
  readonly logSumExp: Rows;
}

/** Attention between sequences of equal length, by rows: q [sequences * queries, queryHeads * headDim]. */
export interface DenseAttention {
  /** Returns out, and float32 log-sum-exps of the scaled scores [rows of q, queryHeads]. */
  forward(q: Rows, k: Rows, v: Rows, size: DenseSize, shape: AttentionShape): Handles<2>;
  /** Returns contiguous gradients. */
  backward(dOut: Rows, saved: DenseSaved, size: DenseSize, shape: AttentionShape): Handles<3>;
}

export function cpuDenseAttention(device: TorchDevice): DenseAttention {
  const { torch } = device;
  const viewsOf = ({ sequences, queries, keys, causal }: DenseSize, shape: AttentionShape) => {
    const { queryHeads, kvHeads, headDim } = shape;
    return {
      query: (x: Rows): Handle => heads(device, x, queries, sequences, queryHeads, headDim),
      key: (x: Rows): Handle => heads(device, x, keys, sequences, kvHeads, headDim),
      options: [{ float: 0 }, { bool: causal }, null, scaleOf(shape)] as readonly Argument[],
      queryRows: (x: Handle, width = headDim): Handle => byRows(device, x, [sequences * queries, queryHeads * width]),
      keyRows: (x: Handle): Handle => byRows(device, x, [sequences * keys, kvHeads * headDim]),
    };
  };
  return {
    forward(q, k, v, size, shape) {
      const { query, key, options, queryRows } = viewsOf(size, shape);
      const [mixed, sums] = torch.callMany(aten.flashForwardCpu, query(q), key(k), key(v), ...options);
      return [queryRows(mixed), queryRows(sums, 1)];
    },
    backward(dOut, { q, k, v, out, logSumExp }, size, shape) {
      const { query, key, options, queryRows, keyRows } = viewsOf(size, shape);
      const inputs = [query(dOut), query(q), key(k), key(v), query(out)];
      const sums = sumsByHead(device, logSumExp, size, shape.queryHeads);
      const [dQ, dK, dV] = torch.callMany(aten.flashBackwardCpu, ...inputs, sums, ...options);
      return [queryRows(dQ), keyRows(dK), keyRows(dV)];
    },
  };
}

/** Null for PyTorch's default scale. */
export function scaleOf({ scale, headDim }: AttentionShape): Argument {
  return scale === 1 / Math.sqrt(headDim) ? null : { some: { float: scale } };
}

function sumsByHead(
  { torch }: TorchDevice,
  { handle, stride, offset = 0, sequenceStride }: Rows,
  { sequences, queries }: DenseSize,
  queryHeads: number,
): Handle {
  const strides = [sequenceStride ?? queries * stride, 1, stride];
  return torch.view(handle, [sequences, queryHeads, queries], strides, offset);
}

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

/** Inverse of `heads` for any strides, by rows. */
function byRows({ torch }: TorchDevice, x: Handle, shape: readonly [rows: number, width: number]): Handle {
  return torch.view(torch.contiguous(torch.transpose(x, 1, 2)), shape);
}

const maxScores = 2 ** 26;

/** Attention by plain float32 products: for every device, and the reference for fused kernels. */
export function mathDenseAttention(device: TorchDevice): DenseAttention {
  const { torch } = device;
  const { float32 } = scalarType;

  /** Rows as [sequences * kvHeads, group * length, width] in float32. */
  const grouped = (
    { handle, stride, offset = 0, sequenceStride }: Rows,
    { sequences }: DenseSize,
    length: number,
    { kvHeads }: AttentionShape,
    headCount: number,
    width: number,
    full = false,
  ): Handle => {
    const group = headCount / kvHeads;
    const view = torch.view(
      handle,
      [sequences, kvHeads, group, length, width],
      [sequenceStride ?? length * stride, group * width, width, stride, 1],
      offset,
    );
    const rows = torch.contiguous(view);
    return torch.view(full ? rows : device.widened(rows), [sequences * kvHeads, group * length, width]);
  };
  const ungrouped = (
    x: Handle,
    { sequences }: DenseSize,
    length: number,
    { kvHeads }: AttentionShape,
    headCount: number,
    width: number,
  ): Handle => {
    const group = headCount / kvHeads;
    const view = torch.view(
      x,
      [sequences, length, kvHeads, group, width],
      [length * headCount * width, width, group * length * width, length * width, 1],
    );
    return torch.view(torch.contiguous(view), [sequences * length, headCount * width]);
  };
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
      torch.cat(
        results.map((result) => (result as readonly Handle[])[i]!),
        0,
      ),
    );
  };
  const transposed = (x: Handle, batch: number, rows: number, width: number): Handle =>
    torch.view(x, [batch, width, rows], [rows * width, 1, width]);
  /** [queries, queries]: 0 up to the row's position, -infinity after it. */
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
    const products = torch.call(aten.bmm, q, transposed(k, batch, keys, shape.headDim));
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
        const total = torch.call(aten.logSumExp, scores, { ints: [2] }, { bool: true });
        const shares = torch.call(aten.exp, torch.subtract(scores, total));
        return [torch.call(aten.bmm, shares, part(value, keys, headDim)), total];
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
        const shares = torch.call(aten.exp, torch.subtract(scores, part(sums, span, 1)));
        const ones = torch.full([n, headDim, 1], float32, 1);
        const delta = torch.call(aten.bmm, torch.multiply(dHeads, part(mixed, span, headDim)), ones);
        const dShares = torch.call(aten.bmm, dHeads, transposed(part(value, keys, headDim), n, keys, headDim));
        const dScores = torch.multiply(shares, torch.subtract(dShares, delta));
        torch.multiplyInPlace(dScores, torch.full([1], float32, scale));
        const across = (x: Handle): Handle => transposed(x, n, span, keys);
        return [
          torch.call(aten.bmm, dScores, ownKeys),
          torch.call(aten.bmm, across(dScores), ownQueries),
          torch.call(aten.bmm, across(shares), dHeads),
        ];
      }) as [Handle, Handle, Handle];
      const back = (x: Handle, length: number, headCount: number): Handle =>
        device.rounded(ungrouped(x, size, length, shape, headCount, headDim));
      return [
        back(gradients[0], queries, queryHeads),
        back(gradients[1], keys, kvHeads),
        back(gradients[2], keys, kvHeads),
      ];
    },
  };
}
