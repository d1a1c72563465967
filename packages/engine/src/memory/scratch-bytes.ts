import { gateCurves, isSilu, sizeOf } from "../kernels/index.ts";
import type { GateCurve, Kernels, SegmentTree, SequenceLayout, Tensor } from "../kernels/index.ts";

export interface ElementBytes {
  readonly working: number;
  readonly full: number;
}

export const elementBytes: Readonly<Record<Kernels["dtype"], ElementBytes>> = {
  bfloat16: { working: 2, full: 4 },
  float32: { working: 4, full: 4 },
  float64: { working: 8, full: 8 },
};

export type ScratchBytes = (operation: string, args: readonly unknown[]) => number;

type Heads = Readonly<Record<"q" | "k" | "v", Tensor>>;

/** CPU default; `kernels-torch` uses 512 MiB on a GPU. */
export const defaultHeadBytes: number = 2 ** 26;

/** Tile of row-wise float32 kernels in `kernels-torch`. */
const tileElements = 2 ** 19;

interface TreeCopies {
  readonly filled: readonly [queries: number, keys: number];
  readonly within: readonly [queries: number, keys: number];
  /** Query rows, per ancestor segment. */
  readonly across: number;
  /** Key rows of continued segments. */
  readonly continued: number;
}

/** Taken from `kernels-torch`, where arrays live until an operation's end. */
const treeCopies: Readonly<Record<"forward" | "backward", TreeCopies>> = {
  forward: { filled: [1, 1], within: [3, 1], across: 6, continued: 1 },
  backward: { filled: [3, 1], within: [5, 3], across: 8, continued: 5 },
};

export function libtorchScratch(
  { working, full }: ElementBytes,
  options: { readonly headBytes: number },
): ScratchBytes {
  const exact = working >= full;
  const wide = exact ? 0 : full;
  const head = (hidden: Tensor, weight: Tensor, perLogit: number): number =>
    Math.min(options.headBytes, rowsOf(hidden) * rowsOf(weight) * perLogit);
  const tile = (x: Tensor): number => full * Math.min(elements(x), tileElements);
  const bent = (x: Tensor, copies: number, curve: GateCurve = gateCurves.silu): number =>
    isSilu(curve) ? 0 : copies * (exact ? tile(x) : working * elements(x));
  const padded = (layout: SequenceLayout, ...arrays: readonly Tensor[]): number => {
    const [sequences, rows] = [layout.offsets.length - 1, layout.offsets.at(-1) ?? 0];
    const places = sequences * layout.longest;
    return places === rows ? 0 : (places / Math.max(1, rows)) * working * elements(...arrays);
  };
  const overTree = (layout: SequenceLayout, tree: SegmentTree, copies: TreeCopies, { q, k, v }: Heads): number => {
    const rows = layout.offsets.at(-1)!;
    const { within, across, continued } = treeRows(layout, tree);
    const filled = within > rows ? rows : 0;
    const queries = copies.filled[0] * filled + copies.within[0] * within + copies.across * across;
    const keys = copies.filled[1] * filled + copies.within[1] * within + copies.continued * continued;
    return (full / rows) * (queries * elements(q) + keys * elements(k, v));
  };
  const table: Partial<Record<keyof Kernels, (...args: never[]) => number>> = {
    accumulate: (_into: Tensor, delta: Tensor) => wide * elements(delta),
    scatterAddRows: (delta: Tensor) => wide * elements(delta),
    linearBackward: (_dOut: Tensor, _x: Tensor, weight: Tensor, needs: { readonly weight: boolean }) =>
      needs.weight && !exact ? working * elements(weight) : 0,
    rmsNorm: (x: Tensor) => (exact ? 0 : (full + 2 * wide) * elements(x)),
    rmsNormBackward: (_dOut: Tensor, x: Tensor) => (exact ? tile(x) : (2 * full + 3 * wide) * elements(x)),
    rotary: (x: Tensor) => (exact ? tile(x) : 3 * working * elements(x)),
    swiGlu: (gate: Tensor, _up: Tensor, curve?: GateCurve) => bent(gate, 6, curve),
    swiGluBackward: (_dOut: Tensor, gate: Tensor, _up: Tensor, curve?: GateCurve) => bent(gate, 11, curve),
    attention: (q: Tensor, k: Tensor, v: Tensor, _shape: unknown, layout: SequenceLayout) =>
      layout.tree ? overTree(layout, layout.tree, treeCopies.forward, { q, k, v }) : padded(layout, q, q, k, v),
    attentionBackward: (_dOut: Tensor, { q, k, v }: Heads, _shape: unknown, layout: SequenceLayout) =>
      layout.tree
        ? overTree(layout, layout.tree, treeCopies.backward, { q, k, v })
        : padded(layout, q, q, q, q, k, k, v, v),
    headLogProbs: (hidden: Tensor, weight: Tensor) => head(hidden, weight, 2 * full),
    headLogProbsBackward: (_d: Tensor, { hidden, weight }: { readonly hidden: Tensor; readonly weight: Tensor }) =>
      head(hidden, weight, exact ? full : 2 * full),
  };
  return (operation, args) => {
    const estimate = table[operation as keyof Kernels] as ((...args: readonly unknown[]) => number) | undefined;
    return estimate ? estimate(...args) : 0;
  };
}

function rowsOf(tensor: Tensor): number {
  return tensor.shape[0]!;
}

function elements(...tensors: readonly Tensor[]): number {
  return tensors.reduce((sum, { shape }) => sum + sizeOf(shape), 0);
}

function treeRows(
  { offsets }: SequenceLayout,
  { parents }: SegmentTree,
): Readonly<Record<"within" | "across" | "continued", number>> {
  const lengths = Array.from(parents, (_, s) => offsets[s + 1]! - offsets[s]!);
  const depths = new Int32Array(parents.length);
  let across = 0;
  parents.forEach((parent, s) => {
    if (parent < 0) return;
    const depth = depths[parent]! + 1;
    depths[s] = depth;
    across += depth * lengths[s]!;
  });
  const continued = lengths.reduce((sum, length, s) => sum + (parents[s + 1] === s ? length : 0), 0);
  return { within: paddedRows(lengths), across, continued };
}

/** Segments share a call if at most twice as long, or short. */
function paddedRows(lengths: readonly number[]): number {
  const short = 16;
  let [rows, longest] = [0, Infinity];
  for (const length of lengths.toSorted((a, b) => b - a)) {
    if (longest > Math.max(short, 2 * length)) longest = length;
    rows += longest;
  }
  return rows;
}
