import type { AttentionShape } from "../../contract.ts";
import type { Bench } from "./bench.ts";
import { agreesWithReference, type KernelCase } from "./kernel-case.ts";

/** Query heads, key/value heads, head width. */
const heads: readonly (readonly [number, number, number])[] = [
  [1, 1, 6],
  [2, 2, 16],
  [4, 2, 6],
  [4, 1, 20],
  [4, 4, 20],
  [6, 2, 16],
  [3, 1, 2],
  [2, 2, 10],
  [3, 3, 38],
];

/** Sequence lengths, one of them 0. */
const lengths: readonly (readonly number[])[] = [[1], [1, 1, 1], [5, 1, 2], [7, 0, 13], [67]];

/** Lengths and parents of segments. */
interface Forest {
  readonly name: string;
  readonly lengths: readonly number[];
  readonly parents: readonly number[];
}

const forests: readonly Forest[] = [
  { name: "one level", lengths: [9, 4, 3, 4, 1], parents: [-1, 0, 0, 0, 0] },
  { name: "two trees and a sequence", lengths: [5, 2, 3, 6, 18, 1, 7], parents: [-1, 0, 0, -1, -1, 4, 4] },
  { name: "two levels of unequal depth", lengths: [3, 2, 4, 1, 5, 2, 33], parents: [-1, 0, 1, 1, 0, 4, 4] },
  { name: "a chain without branches", lengths: [3, 1, 4, 1, 5], parents: [-1, 0, 1, 2, 3] },
  { name: "a deep chain", lengths: Array.from({ length: 40 }, (_, s) => 1 + (s % 3)), parents: chain(40) },
  { name: "a comb", ...comb(12) },
  { name: "a star of single tokens", lengths: Array.from({ length: 9 }, () => 1), parents: star(9) },
  { name: "rows around a tile", lengths: [64, 1, 65, 63, 2], parents: [-1, 0, 0, -1, 3] },
];

function chain(count: number): number[] {
  return Array.from({ length: count }, (_, s) => s - 1);
}
function star(count: number): number[] {
  return Array.from({ length: count }, (_, s) => (s === 0 ? -1 : 0));
}
/** A chain with a branch after each segment. */
function comb(teeth: number): Omit<Forest, "name"> {
  const parents = Array.from({ length: 2 * teeth }, (_, s) => (s === 0 ? -1 : s % 2 === 1 ? s - 1 : s - 2));
  return { lengths: parents.map((_, s) => 1 + (s % 4)), parents };
}

export function attentionShapeOf(queryHeads: number, kvHeads: number, headDim: number): AttentionShape {
  return { queryHeads, kvHeads, headDim, scale: 1 / Math.sqrt(headDim) };
}

export const attentionCases: readonly KernelCase[] = [
  ...heads.flatMap(([queryHeads, kvHeads, headDim]) =>
    lengths.map((lengths_S) =>
      agreesWithReference(
        `attention and its gradients: ${queryHeads} on ${kvHeads} heads of ${headDim}, lengths ${lengths_S.join(", ")}`,
        (bench) => attentionBothWays(bench, attentionShapeOf(queryHeads, kvHeads, headDim), lengths_S, 1),
      ),
    ),
  ),
  // Scores of several hundred amplify rounding errors in the exponential.
  agreesWithReference(
    "attention: scores of several hundred do not overflow",
    (bench) => attentionBothWays(bench, attentionShapeOf(2, 1, 16), [9, 3], 8),
    100,
  ),
  agreesWithReference("attention: the scale is a parameter", (bench) =>
    attentionBothWays(bench, { ...attentionShapeOf(2, 1, 6), scale: 0.125 }, [9, 3], 1),
  ),
  ...[attentionShapeOf(4, 2, 6), attentionShapeOf(6, 2, 16)].flatMap((shape) =>
    forests.map(({ name, lengths: lengths_S, parents }) =>
      agreesWithReference(`attention over ancestors and its gradients: ${name}, heads of ${shape.headDim}`, (bench) =>
        attentionBothWays(bench, shape, lengths_S, 1, parents),
      ),
    ),
  ),
  agreesWithReference("attention over ancestors and its gradients: a thousand leaves", (bench) => {
    const lengths_S = Array.from({ length: 1001 }, (_, s) => (s === 0 ? 5 : 1 + (s % 3)));
    return attentionBothWays(bench, attentionShapeOf(2, 1, 6), lengths_S, 1, star(1001));
  }),
  agreesWithReference(
    "attention over ancestors: scores of several hundred do not overflow",
    (bench) => attentionBothWays(bench, attentionShapeOf(2, 1, 16), [9, 3, 4], 8, [-1, 0, 0]),
    100,
  ),
];

function attentionBothWays(
  bench: Bench,
  shape: AttentionShape,
  lengths_S: readonly number[],
  size: number,
  parents?: readonly number[],
): ReturnType<typeof bench.kernels.attention> & ReturnType<typeof bench.kernels.attentionBackward> {
  const { kernels } = bench;
  const N = lengths_S.reduce((sum, length) => sum + length, 0);
  const [wide, narrow] = [shape.queryHeads * shape.headDim, shape.kvHeads * shape.headDim];
  const [q, k, v] = [
    bench.floats("q", [N, wide], size),
    bench.floats("k", [N, narrow], size),
    bench.floats("v", [N, narrow]),
  ];
  const layout = bench.layout(lengths_S, parents);
  const { out, logSumExp } = kernels.attention(q, k, v, shape, layout);
  const dOut = bench.floats("dOut", [N, wide]);
  return { out, logSumExp, ...kernels.attentionBackward(dOut, { q, k, v, out, logSumExp }, shape, layout) };
}
