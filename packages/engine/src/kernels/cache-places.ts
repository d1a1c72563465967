import type { CachePlan, KeyValueCache, SequenceLayout } from "./contract.ts";

/** Max positions that a sequence attends to. */
export function longestReach({ past, layout }: CachePlan): number {
  let most = 0;
  for (let s = 0; s < past.length; s++) {
    const length = layout.offsets[s + 1]! - layout.offsets[s]!;
    most = Math.max(most, past[s]! + length);
  }
  return most;
}

/** First of consecutive single pages, which need no copy; otherwise -1. */
export function pageRun({ table, past }: CachePlan): number {
  const first = table[0] ?? 0;
  return table.length === past.length && table.every((page, s) => page === first + s) ? first : -1;
}

/** Page and position of each new token, length N. */
export function newPages(
  { layout, table, past }: CachePlan,
  { pageSize }: Pick<KeyValueCache, "pageSize">,
): { readonly pages: Int32Array; readonly positions: Int32Array } {
  const { offsets } = layout;
  const tokens = offsets.at(-1)!;
  const [pages, positions] = [new Int32Array(tokens), new Int32Array(tokens)];
  const width = table.length / past.length;
  for (let s = 0; s < past.length; s++) {
    const start = offsets[s]!;
    for (let token = start; token < offsets[s + 1]!; token++) {
      const position = past[s]! + token - start;
      pages[token] = table[s * width + Math.floor(position / pageSize)]!;
      positions[token] = position % pageSize;
    }
  }
  return { pages, positions };
}

/** Rows of new tokens' heads in a cache [pages, kvHeads, pageSize]; length N * kvHeads. */
export function newPlaces(plan: CachePlan, { kvHeads, pageSize }: KeyValueCache): Int32Array {
  const { pages, positions } = newPages(plan, { pageSize });
  const places = new Int32Array(pages.length * kvHeads);
  for (let token = 0; token < pages.length; token++)
    for (let head = 0; head < kvHeads; head++)
      places[token * kvHeads + head] = (pages[token]! * kvHeads + head) * pageSize + positions[token]!;
  return places;
}

/** Rows of the first `lengths[i]` positions of each page in a cache [pages, kvHeads, pageSize]. */
export function heldPlaces(
  pages: Int32Array,
  lengths: Int32Array,
  { kvHeads, pageSize }: Pick<KeyValueCache, "kvHeads" | "pageSize">,
): Int32Array {
  const places: number[] = [];
  pages.forEach((page, i) => {
    for (let head = 0; head < kvHeads; head++)
      for (let position = 0; position < lengths[i]!; position++)
        places.push((page * kvHeads + head) * pageSize + position);
  });
  return Int32Array.from(places);
}

/** True if no mask is needed: one token per sequence, all equally long. */
export function seesEverything({ layout, past }: CachePlan, reach: number): boolean {
  return layout.longest === 1 && past.every((held) => held + 1 === reach);
}

/** Additive mask [S, group * longest, reach]: 0 or `hidden`. Rows of a sequence repeat `group` times. */
export function reachMask(
  { layout, past }: CachePlan,
  reach: number,
  { hidden, group }: { readonly hidden: number; readonly group: number },
): Float32Array {
  const { longest, offsets } = layout;
  const mask = new Float32Array(past.length * group * longest * reach).fill(hidden);
  for (let s = 0; s < past.length; s++) {
    const length = offsets[s + 1]! - offsets[s]!;
    for (let g = 0; g < group; g++)
      for (let i = 0; i < longest; i++) {
        const start = ((s * group + g) * longest + i) * reach;
        // Padded rows see a position, so that their softmax is finite.
        mask.fill(0, start, start + (i < length ? past[s]! + i + 1 : 1));
      }
  }
  return mask;
}

interface RowRun {
  readonly start: number;
  readonly end: number;
}

/** Rows of a segment's ancestors, then its own. */
export function ancestorRuns({ offsets, tree }: SequenceLayout, segment: number): RowRun[] {
  const runs: RowRun[] = [];
  for (let s = segment; s >= 0; s = tree?.parents[s] ?? -1) runs.push({ start: offsets[s]!, end: offsets[s + 1]! });
  return runs.toReversed();
}

/** Next segment after each subtree. */
export function subtreeEnds(parents: Int32Array): Int32Array {
  const ends = Int32Array.from(parents, (_, s) => s + 1);
  for (let s = parents.length - 1; s >= 0; s--) {
    const parent = parents[s]!;
    if (parent >= 0) ends[parent] = Math.max(ends[parent]!, ends[s]!);
  }
  return ends;
}
