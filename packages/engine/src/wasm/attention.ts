import { matrixSize } from "../kernels/index.ts";
import type { AttentionShape, Kernels, SegmentTree, SequenceLayout, Tensor } from "../kernels/index.ts";
import type { FusedName } from "./fused.ts";
import type { Split } from "./thread-pool.ts";
import type { WasmDevice } from "./wasm-device.ts";

export function attentionKernels(device: WasmDevice): Pick<Kernels, "attention" | "attentionBackward"> {
  const { store } = device;
  /** Pair range, sizes and scratch follow `args`. */
  const divide = (
    name: FusedName,
    args: readonly (Tensor | number)[],
    count: number,
    { shape, layout, floats, products }: Work,
  ): void =>
    device.withThreadScratch(floats, (scratch, bytes) => {
      const { queryHeads, kvHeads, headDim, scale } = shape;
      const split = pairSplit(layout, shape, count, { first: args.length, products, bytes });
      device.divide(split, name, ...args, 0, count * kvHeads, queryHeads, kvHeads, headDim, scale, scratch);
    });
  return {
    attention(q, k, v, shape, layout) {
      const [rows] = matrixSize(q);
      const [out, logSumExp] = [store.allocate(q.shape), store.allocate([rows, shape.queryHeads])];
      const longest = padded(layout);
      const { offsets, offsetsOnDevice, tree } = layout;
      const tensors = [q, k, v, out, logSumExp, offsetsOnDevice];
      const floats = (shape.headDim + 4) * longest + 4 * shape.headDim + 4;
      const work = { shape, layout, floats: floats + (tree ? shape.headDim * longest : 0), products: 2 };
      if (!tree) divide("attention", tensors, offsets.length - 1, work);
      else
        withPaths(device, layout, tree, ({ before, trees, count }) =>
          divide("attentionTree", [...tensors, before, trees, longest], count, work),
        );
      return { out, logSumExp };
    },
    attentionBackward(dOut, { q, k, v, out, logSumExp }, shape, layout) {
      const [dQ, dK, dV] = [store.allocate(q.shape), store.zeros(k.shape), store.zeros(v.shape)];
      const { offsets, offsetsOnDevice, tree } = layout;
      const longest = padded(layout);
      const tensors = [dOut, q, k, v, out, logSumExp, dQ, dK, dV, offsetsOnDevice];
      const floats = (2 * shape.headDim + 8) * longest + 8 * shape.headDim + 4;
      const work = { shape, layout, floats: floats + (tree ? shape.headDim * longest : 0), products: 5 };
      if (!tree) divide("attentionBackward", tensors, offsets.length - 1, work);
      else
        withPaths(device, layout, tree, ({ before, trees, count }) => {
          const args = [...tensors, before, tree.parentsOnDevice, trees, longest];
          divide("attentionTreeBackward", args, count, work);
        });
      return { dQ, dK, dV };
    },
  };
}

interface Work {
  readonly shape: AttentionShape;
  readonly layout: SequenceLayout;
  /** Working space per thread. */
  readonly floats: number;
  /** Per row and visible key. */
  readonly products: number;
}

interface Paths {
  /** Number of ancestor rows per segment. */
  readonly before: Tensor;
  /** First segment of each tree, then the number of segments. */
  readonly trees: Tensor;
  readonly count: number;
}

function withPaths(
  { store }: WasmDevice,
  { offsets }: SequenceLayout,
  { parents }: SegmentTree,
  body: (paths: Paths) => void,
): void {
  const before = new Int32Array(parents.length);
  const starts: number[] = [];
  parents.forEach((parent, s) => {
    if (parent < 0) starts.push(s);
    else before[s] = (before[parent] as number) + (offsets[parent + 1] as number) - (offsets[parent] as number);
  });
  store.scope(() =>
    body({
      before: store.upload(before, [parents.length]),
      trees: store.upload(Int32Array.of(...starts, parents.length), [starts.length + 1]),
      count: starts.length,
    }),
  );
}

function padded(layout: SequenceLayout): number {
  return (layout.longest + 3) & ~3;
}

/**
 * Pairs of key/value head and sequence or tree, so that key gradients are summed in order.
 * @param first - index of the first-pair argument; pair count, four sizes and scratch follow
 * @param products - per row and visible key
 */
function pairSplit(
  { offsets, longest }: SequenceLayout,
  { queryHeads, kvHeads, headDim }: AttentionShape,
  count: number,
  { first, products, bytes }: { readonly first: number; readonly products: number; readonly bytes: number },
): Split {
  const rows = (offsets.at(-1) ?? 0) / Math.max(1, count);
  // About twenty per nanosecond, with additions and skipped keys.
  const cost = (rows * longest * headDim * products * (queryHeads / kvHeads)) / 20;
  return { countAt: first + 1, steps: { [first]: 1 }, cost, scratch: { argument: first + 6, bytes } };
}
