import type { SegmentTree, SequenceLayout } from "../kernels/index.ts";

/** How many rows libtorch's attention over a tree gathers. */
export interface TreeRows {
  /** Every segment's for itself, padding among them. */
  readonly own: number;
  /** Of those that attend to a segment that they continue, once for each. */
  readonly across: number;
  /** Of segments that others continue. */
  readonly continued: number;
}

export function treeRows({ offsets }: SequenceLayout, { parents }: SegmentTree): TreeRows {
  const lengths = Array.from(parents, (_, s) => (offsets[s + 1] as number) - (offsets[s] as number));
  const depths = new Int32Array(parents.length);
  let across = 0;
  parents.forEach((parent, s) => {
    if (parent < 0) return;
    const depth = (depths[parent] as number) + 1;
    depths[s] = depth;
    across += depth * (lengths[s] as number);
  });
  // Depth first, what continues a segment directly begins right behind it.
  const continued = lengths.reduce((sum, length, s) => sum + (parents[s + 1] === s ? length : 0), 0);
  return { own: paddedRows(lengths), across, continued };
}

/** Segments share a call with those up to twice as long, and short ones with any: each is padded to the longest there. */
function paddedRows(lengths: readonly number[]): number {
  const short = 16;
  let [rows, longest] = [0, Infinity];
  for (const length of lengths.toSorted((a, b) => b - a)) {
    if (longest > Math.max(short, 2 * length)) longest = length;
    rows += longest;
  }
  return rows;
}
