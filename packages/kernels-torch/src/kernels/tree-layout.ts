import { subtreeEnds, type SegmentTree, type SequenceLayout } from "@laconic/engine/kernels";
import type { DenseSize } from "./dense-attention.ts";

/** Which rows stand in the places of a part, sequence after sequence. */
export interface PartRows {
  /** A place without one has the row behind the last. */
  readonly rows: Int32Array;
  /** Where every run is whole and they begin equally far apart: the first row, and how far. Then nothing has to be gathered. */
  readonly regular: { readonly first: number; readonly step: number } | null;
}

/** Runs of rows of equal or similar length that attend in one call. */
export interface TreePart extends DenseSize {
  readonly queryRows: PartRows;
  /** The same in a causal part. */
  readonly keyRows: PartRows;
}

/** Parts in which every row attends at most once. */
export interface TreeLevel {
  readonly parts: readonly TreePart[];
  /** The rows that attend here, in their order. */
  readonly rows: Int32Array;
  /** The place of each in the parts one behind the other; null where they stand in order. */
  readonly places: Int32Array | null;
}

/** How a tree of segments is attended to. */
export interface TreeParts {
  /** Every segment to itself. */
  readonly own: TreeLevel;
  /** Everything behind a segment to that segment: level l has the segments with l ancestors. */
  readonly levels: readonly TreeLevel[];
  /** Whether some place has no row. */
  readonly padded: boolean;
}

/** A run of rows. */
interface Run {
  readonly start: number;
  readonly length: number;
}

/** Queries and the keys that they attend to. */
interface Block {
  readonly queries: Run;
  readonly keys: Run;
}

/** Blocks shorter than this share a call with any others. */
const short = 16;

/**
 * Segments lie depth first, so what continues one is a single run of rows behind it: a block of queries that all attend to
 * all of its keys. No key is copied for a descendant, and none is masked.
 */
export function treeParts({ offsets }: SequenceLayout, { parents }: SegmentTree): TreeParts {
  const rows = offsets.at(-1) as number;
  const ends = subtreeEnds(parents);
  const depths = new Int32Array(parents.length);
  const own: Block[] = [];
  const levels: Block[][] = [];
  parents.forEach((parent, s) => {
    const depth = parent < 0 ? 0 : (depths[parent] as number) + 1;
    depths[s] = depth;
    const [start, end] = [offsets[s] as number, offsets[s + 1] as number];
    const keys = { start, length: end - start };
    own.push({ queries: keys, keys });
    const behind = { start: end, length: (offsets[ends[s] as number] as number) - end };
    if (behind.length > 0) (levels[depth] ??= []).push({ queries: behind, keys });
  });
  const alike = (a: Block, b: Block): boolean => a.queries.length <= Math.max(short, 2 * b.queries.length);
  const causal = level(own, alike, true, rows);
  const across = levels.map((blocks) =>
    level(blocks, (a, b) => a.keys.length === b.keys.length && alike(a, b), false, rows),
  );
  const padded = [causal, ...across].some(({ parts }) => parts.some(({ queryRows }) => queryRows.rows.includes(rows)));
  return { own: causal, levels: across, padded };
}

/** @param together - whether a block may share a call with a shorter one */
function level(
  blocks: readonly Block[],
  together: (longest: Block, next: Block) => boolean,
  causal: boolean,
  rows: number,
): TreeLevel {
  const sorted = blocks.toSorted(
    (a, b) =>
      (causal ? 0 : b.keys.length - a.keys.length) ||
      b.queries.length - a.queries.length ||
      a.queries.start - b.queries.start,
  );
  const groups: Block[][] = [];
  for (const block of sorted) {
    const last = groups.at(-1);
    if (last && together(last[0] as Block, block)) last.push(block);
    else groups.push([block]);
  }
  const parts = groups.map((group): TreePart => {
    const queries = (group[0] as Block).queries.length;
    const keys = causal ? queries : (group[0] as Block).keys.length;
    const queryRows = rowsOf(group, "queries", queries, rows);
    const keyRows = causal ? queryRows : rowsOf(group, "keys", keys, rows);
    return { sequences: group.length, queries, keys, causal, queryRows, keyRows };
  });
  const placeOf = new Int32Array(rows).fill(-1);
  let before = 0;
  for (const { queryRows } of parts) {
    queryRows.rows.forEach((row, place) => {
      if (row < rows) placeOf[row] = before + place;
    });
    before += queryRows.rows.length;
  }
  const attending = Int32Array.from(placeOf.keys()).filter((row) => placeOf[row] !== -1);
  const places = attending.map((row) => placeOf[row] as number);
  const inOrder = places.length === before && places.every((place, i) => place === i);
  return { parts, rows: attending, places: inOrder ? null : places };
}

function rowsOf(blocks: readonly Block[], of: keyof Block, length: number, none: number): PartRows {
  const rows = new Int32Array(blocks.length * length).fill(none);
  blocks.forEach((block, s) => {
    for (let i = 0; i < block[of].length; i++) rows[s * length + i] = block[of].start + i;
  });
  const first = (blocks[0] as Block)[of].start;
  const step = blocks.length === 1 ? length : (blocks[1] as Block)[of].start - first;
  const even = blocks.every((block, s) => block[of].length === length && block[of].start === first + s * step);
  return { rows, regular: even && step > 0 ? { first, step } : null };
}
