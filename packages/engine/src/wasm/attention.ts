import { matrixSize } from "../kernels/index.ts";
import type { AttentionShape, KernelFamily, SequenceLayout, Tensor } from "../kernels/index.ts";
import type { Split } from "./thread-pool.ts";
import type { WasmDevice } from "./wasm-device.ts";

export function attentionKernels(device: WasmDevice): KernelFamily<"attention"> {
  const { store } = device;
  /** Ancestor rows and trees follow `args`, then pair range, sizes and scratch. */
  const divide = (
    name: "attention" | "attentionBackward",
    args: readonly (Tensor | number)[],
    { shape, layout, perRow, apart, products }: Work,
  ): void =>
    store.scope(() => {
      const { queryHeads, kvHeads, headDim, scale } = shape;
      const longest = (layout.longest + 3) & ~3;
      const { before, trees, count } = pathsOf(device, layout);
      const floats = (perRow + (layout.tree ? headDim : 0)) * longest + apart;
      device.withThreadScratch(floats, (scratch, bytes) => {
        const all = [...args, before, trees, longest];
        const split = pairSplit(layout, shape, count, { first: all.length, products, bytes });
        device.divide(split, name, ...all, 0, count * kvHeads, queryHeads, kvHeads, headDim, scale, scratch);
      });
    });
  return {
    attention(q, k, v, shape, layout) {
      const [rows] = matrixSize(q);
      const [out, logSumExp] = [store.allocate(q.shape), store.allocate([rows, shape.queryHeads])];
      const work = { shape, layout, perRow: shape.headDim + 4, apart: 4 * shape.headDim + 4, products: 2 };
      divide("attention", [q, k, v, out, logSumExp, layout.offsetsOnDevice], work);
      return { out, logSumExp };
    },
    attentionBackward(dOut, { q, k, v, out, logSumExp }, shape, layout) {
      const [dQ, dK, dV] = [store.allocate(q.shape), store.zeros(k.shape), store.zeros(v.shape)];
      const parents = layout.tree?.parentsOnDevice ?? 0;
      const args = [dOut, q, k, v, out, logSumExp, dQ, dK, dV, layout.offsetsOnDevice, parents];
      const work = { shape, layout, perRow: 2 * shape.headDim + 8, apart: 8 * shape.headDim + 4, products: 5 };
      divide("attentionBackward", args, work);
      return { dQ, dK, dV };
    },
  };
}

interface Work {
  readonly shape: AttentionShape;
  readonly layout: SequenceLayout;
  /** Floats of working space for each row of the longest path, without trees. */
  readonly perRow: number;
  /** Other floats of working space. */
  readonly apart: number;
  /** Per row and visible key. */
  readonly products: number;
}

interface Paths {
  /** Number of ancestor rows per segment; 0 without trees. */
  readonly before: Tensor | 0;
  /** First segment of each tree, then the number of segments; 0 without trees. */
  readonly trees: Tensor | 0;
  /** Trees, or sequences. */
  readonly count: number;
}

function pathsOf({ store }: WasmDevice, { offsets, tree }: SequenceLayout): Paths {
  if (!tree) return { before: 0, trees: 0, count: offsets.length - 1 };
  const { parents } = tree;
  const before = new Int32Array(parents.length);
  const starts: number[] = [];
  parents.forEach((parent, s) => {
    if (parent < 0) starts.push(s);
    else before[s] = before[parent]! + offsets[parent + 1]! - offsets[parent]!;
  });
  return {
    before: store.upload(before, [parents.length]),
    trees: store.upload(Int32Array.of(...starts, parents.length), [starts.length + 1]),
    count: starts.length,
  };
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
