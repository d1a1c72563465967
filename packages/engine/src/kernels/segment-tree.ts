import type { SequenceLayout } from "./contract.ts";

/** Rows `start` to `end`, without `end`. */
export interface RowRun {
  readonly start: number;
  readonly end: number;
}

/** The rows of a segment's ancestors, the root's first, and then its own. */
export function ancestorRuns({ offsets, tree }: SequenceLayout, segment: number): RowRun[] {
  const runs: RowRun[] = [];
  for (let s = segment; s >= 0; s = tree?.parents[s] ?? -1)
    runs.push({ start: offsets[s] as number, end: offsets[s + 1] as number });
  return runs.toReversed();
}

/** Of each segment, the first one behind it that does not continue it: what continues it are the rows up to there. */
export function subtreeEnds(parents: Int32Array): Int32Array {
  const ends = Int32Array.from(parents, (_, s) => s + 1);
  for (let s = parents.length - 1; s >= 0; s--) {
    const parent = parents[s] as number;
    if (parent >= 0) ends[parent] = Math.max(ends[parent] as number, ends[s] as number);
  }
  return ends;
}
