import { matrixSize, type AttentionShape, type Kernels, type SequenceLayout, type Tensor } from "@laconic/kernels";
import { scalarType } from "../native/scalar-type.ts";
import { operator, type Handle, type Handles } from "../native/torch.ts";
import type { TorchDevice } from "../torch-device.ts";
import { packRows, padRows, paddedLayout, type PaddedLayout } from "./padding.ts";

const bmm = operator("aten::bmm");
const cat = operator("aten::cat");
const exp = operator("aten::exp");
const multiply = operator("aten::mul", "Tensor");
const multiplyInto = operator("aten::mul_", "Tensor");
const logSumExpOf = operator("aten::logsumexp");
const contiguous = operator("aten::contiguous");

/** Scores of at most this many elements are held at once. */
const maxScores = 2 ** 26;

/** What both passes work on: padded, and the query heads of a group one after the other. */
interface Batch {
  readonly padded: PaddedLayout;
  readonly shape: AttentionShape;
  /** [longest, longest]: 0 up to the own position, -infinity behind it. */
  readonly mask: Handle;
}

/**
 * Attention of plain products in float32, a few sequences at a time: on every device, and what fused kernels are checked
 * against where a device is new.
 */
export function mathAttentionKernels(device: TorchDevice): Pick<Kernels, "attention" | "attentionBackward"> {
  const { torch, store } = device;
  const { float32 } = scalarType;

  const batchOf = (layout: SequenceLayout, rows: number, shape: AttentionShape): Batch => {
    const padded = paddedLayout(device, layout, rows);
    const { longest } = padded;
    const mask = store.derive(store.get(layout.offsetsOnDevice), "causal mask", () => {
      const values = new Float32Array(longest * longest);
      for (let i = 0; i < longest; i++) values.fill(-Infinity, i * longest + i + 1, (i + 1) * longest);
      return torch.upload(values, [longest, longest]);
    });
    return { padded, shape, mask };
  };
  /** [N, heads * width] as [S * kvHeads, group * longest, width] in float32. */
  const grouped = (x: Handle, { padded, shape }: Batch, heads: number, width: number, full = false): Handle => {
    const { sequences, longest } = padded;
    const group = heads / shape.kvHeads;
    const row = heads * width;
    const wide = full ? x : device.widened(x);
    const view = torch.view(
      padRows(device, wide, padded, row, float32),
      [sequences, shape.kvHeads, group, longest, width],
      [longest * row, group * width, width, row, 1],
    );
    const rows = torch.call(contiguous, view, { int: 0 });
    return torch.view(rows, [sequences * shape.kvHeads, group * longest, width]);
  };
  const ungrouped = (x: Handle, { padded, shape }: Batch, heads: number, width: number): Handle => {
    const { sequences, longest } = padded;
    const group = heads / shape.kvHeads;
    const view = torch.view(
      x,
      [sequences, longest, shape.kvHeads, group, width],
      [longest * heads * width, width, group * longest * width, longest * width, 1],
    );
    return packRows(device, torch.call(contiguous, view, { int: 0 }), padded, heads * width);
  };
  /** Runs `body` on runs of sequences small enough, and puts the results one behind the other. */
  const inRuns = <Count extends 2 | 3>(
    { padded, shape }: Batch,
    body: (part: (x: Handle, rowsPerSequence: number, width: number) => Handle, sequences: number) => Handles<Count>,
  ): Handle[] => {
    const { sequences, longest } = padded;
    const most = Math.max(1, Math.floor(maxScores / (shape.queryHeads * longest * longest)));
    const results: Handles<Count>[] = [];
    for (let start = 0; start < sequences; start += most) {
      const count = Math.min(most, sequences - start);
      const part = (x: Handle, rows: number, width: number): Handle =>
        torch.view(
          x,
          [count * shape.kvHeads, rows, width],
          [rows * width, width, 1],
          start * shape.kvHeads * rows * width,
        );
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
  const scoresOf = (q: Handle, k: Handle, { padded, shape, mask }: Batch, count: number): Handle => {
    const { longest } = padded;
    const [batch, group] = [count * shape.kvHeads, shape.queryHeads / shape.kvHeads];
    const products = torch.call(bmm, q, transposed(k, batch, longest, shape.headDim));
    const scaled = torch.view(torch.multiplyByNumber(products, shape.scale), [batch * group, longest, longest]);
    return torch.view(torch.add(scaled, mask), [batch, group * longest, longest]);
  };

  return {
    attention(q, k, v, shape, layout) {
      const [rows] = matrixSize(q);
      const { queryHeads, kvHeads, headDim } = shape;
      const [out, sums] = torch.run<Handles<2>>(() => {
        if (rows === 0) return [torch.empty(q.shape, device.working), torch.empty([0, queryHeads], float32)];
        const batch = batchOf(layout, rows, shape);
        const { longest } = batch.padded;
        const span = (queryHeads / kvHeads) * longest;
        const query = grouped(device.handle(q), batch, queryHeads, headDim);
        const [key, value] = [k, v].map((x) => grouped(device.handle(x), batch, kvHeads, headDim)) as [Handle, Handle];
        const [mixed, logSums] = inRuns<2>(batch, (part, count) => {
          const scores = scoresOf(part(query, span, headDim), part(key, longest, headDim), batch, count);
          const total = torch.call(logSumExpOf, scores, { ints: [2] }, { bool: true });
          const shares = torch.call(exp, torch.subtract(scores, total));
          return [torch.call(bmm, shares, part(value, longest, headDim)), total];
        }) as [Handle, Handle];
        return [device.rounded(ungrouped(mixed, batch, queryHeads, headDim)), ungrouped(logSums, batch, queryHeads, 1)];
      });
      return { out: store.adoptFloats(out, q.shape), logSumExp: store.adoptFloats(sums, [rows, queryHeads], "full") };
    },
    attentionBackward(dOut, { q, k, v, out, logSumExp }, shape, layout) {
      const [rows] = matrixSize(q);
      const { queryHeads, kvHeads, headDim, scale } = shape;
      const [dQ, dK, dV] = torch.run<Handles<3>>(() => {
        const empty = (x: Tensor): Handle => torch.empty(x.shape, device.working);
        if (rows === 0) return [empty(q), empty(k), empty(v)];
        const batch = batchOf(layout, rows, shape);
        const { longest } = batch.padded;
        const span = (queryHeads / kvHeads) * longest;
        const [query, dMixed, mixed] = [q, dOut, out].map((x) =>
          grouped(device.handle(x), batch, queryHeads, headDim),
        ) as [Handle, Handle, Handle];
        const [key, value] = [k, v].map((x) => grouped(device.handle(x), batch, kvHeads, headDim)) as [Handle, Handle];
        const sums = grouped(device.handle(logSumExp), batch, queryHeads, 1, true);
        const gradients = inRuns<3>(batch, (part, count) => {
          const n = count * kvHeads;
          const [queries, dHeads] = [part(query, span, headDim), part(dMixed, span, headDim)];
          const keys = part(key, longest, headDim);
          const scores = scoresOf(queries, keys, batch, count);
          const shares = torch.call(exp, torch.subtract(scores, part(sums, span, 1)));
          const ones = torch.full([n, headDim, 1], float32, 1);
          const delta = torch.call(bmm, torch.call(multiply, dHeads, part(mixed, span, headDim)), ones);
          const dShares = torch.call(bmm, dHeads, transposed(part(value, longest, headDim), n, longest, headDim));
          const dScores = torch.call(multiply, shares, torch.subtract(dShares, delta));
          torch.call(multiplyInto, dScores, torch.full([1], float32, scale));
          const across = (x: Handle): Handle => transposed(x, n, span, longest);
          return [
            torch.call(bmm, dScores, keys),
            torch.call(bmm, across(dScores), queries),
            torch.call(bmm, across(shares), dHeads),
          ];
        }) as [Handle, Handle, Handle];
        const back = (x: Handle, heads: number): Handle => device.rounded(ungrouped(x, batch, heads, headDim));
        return [back(gradients[0], queryHeads), back(gradients[1], kvHeads), back(gradients[2], kvHeads)];
      });
      return {
        dQ: store.adoptFloats(dQ, q.shape),
        dK: store.adoptFloats(dK, k.shape),
        dV: store.adoptFloats(dV, v.shape),
      };
    },
  };
}
