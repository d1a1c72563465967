import type { AttentionShape } from "../../contract.ts";
import type { Bench } from "./bench.ts";
import { agreesWithReference, type KernelCase } from "./kernel-case.ts";

/** Query heads, key/value heads, head width: groups of 1, 2, 3 and 4. */
const heads: readonly (readonly [number, number, number])[] = [
  [1, 1, 6],
  [2, 2, 16],
  [4, 2, 6],
  [4, 1, 20],
  [4, 4, 20],
  [6, 2, 16],
];

/** Sequence lengths, an empty sequence among them. */
const lengths: readonly (readonly number[])[] = [[1], [1, 1, 1], [5, 1, 2], [7, 0, 13], [67]];

export function attentionShapeOf(queryHeads: number, kvHeads: number, headDim: number): AttentionShape {
  return { queryHeads, kvHeads, headDim, scale: 1 / Math.sqrt(headDim) };
}

/** Grouped-query attention over packed sequences, and its gradients. */
export const attentionCases: readonly KernelCase[] = [
  ...heads.flatMap(([queryHeads, kvHeads, headDim]) =>
    lengths.map((lengths_S) =>
      agreesWithReference(
        `attention and its gradients: ${queryHeads} on ${kvHeads} heads of ${headDim}, lengths ${lengths_S.join(", ")}`,
        (bench) => attentionBothWays(bench, attentionShapeOf(queryHeads, kvHeads, headDim), lengths_S, 1),
      ),
    ),
  ),
  // Scores of several hundred carry errors of several hundred roundings into the exponential.
  agreesWithReference(
    "attention: scores of several hundred do not overflow",
    (bench) => attentionBothWays(bench, attentionShapeOf(2, 1, 16), [9, 3], 8),
    100,
  ),
  agreesWithReference("attention: the scale is a parameter", (bench) =>
    attentionBothWays(bench, { ...attentionShapeOf(2, 1, 6), scale: 0.125 }, [9, 3], 1),
  ),
];

function attentionBothWays(
  bench: Bench,
  shape: AttentionShape,
  lengths_S: readonly number[],
  size: number,
): ReturnType<typeof bench.kernels.attention> & ReturnType<typeof bench.kernels.attentionBackward> {
  const { kernels } = bench;
  const N = lengths_S.reduce((sum, length) => sum + length, 0);
  const [wide, narrow] = [shape.queryHeads * shape.headDim, shape.kvHeads * shape.headDim];
  const [q, k, v] = [
    bench.floats("q", [N, wide], size),
    bench.floats("k", [N, narrow], size),
    bench.floats("v", [N, narrow]),
  ];
  const layout = bench.layout(lengths_S);
  const { out, logSumExp } = kernels.attention(q, k, v, shape, layout);
  const dOut = bench.floats("dOut", [N, wide]);
  return { out, logSumExp, ...kernels.attentionBackward(dOut, { q, k, v, out, logSumExp }, shape, layout) };
}
