import type { CachePlan, KeyValueCache } from "./contract.ts";

/** Most positions that any sequence of the plan attends to, its own new tokens included. */
export function longestReach({ past, layout }: CachePlan): number {
  let most = 0;
  for (let s = 0; s < past.length; s++) {
    const length = (layout.offsets[s + 1] as number) - (layout.offsets[s] as number);
    most = Math.max(most, (past[s] as number) + length);
  }
  return most;
}

/** The plan's rows follow each other, so that a view of the cache serves instead of a copy. */
export function rowsFollow({ rows }: CachePlan): boolean {
  return rows.every((row, s) => row === (rows[0] as number) + s);
}

/** Where each head of each new token goes in a cache laid out [rows, kvHeads, capacity]; length N * kvHeads. */
export function newPlaces({ layout, rows, past }: CachePlan, { kvHeads, capacity }: KeyValueCache): Int32Array {
  const { offsets } = layout;
  const places = new Int32Array((offsets.at(-1) as number) * kvHeads);
  rows.forEach((row, s) => {
    const start = offsets[s] as number;
    for (let token = start; token < (offsets[s + 1] as number); token++)
      for (let head = 0; head < kvHeads; head++)
        places[token * kvHeads + head] = (row * kvHeads + head) * capacity + (past[s] as number) + token - start;
  });
  return places;
}

/** Where the first `lengths[i]` positions of each row lie in a cache laid out [rows, kvHeads, capacity], head by head. */
export function heldPlaces(
  rows: Int32Array,
  lengths: Int32Array,
  { kvHeads, capacity }: Pick<KeyValueCache, "kvHeads" | "capacity">,
): Int32Array {
  const places: number[] = [];
  rows.forEach((row, i) => {
    for (let head = 0; head < kvHeads; head++)
      for (let position = 0; position < (lengths[i] as number); position++)
        places.push((row * kvHeads + head) * capacity + position);
  });
  return Int32Array.from(places);
}

/** Every new token may look at all `reach` positions: one token a sequence, all sequences equally long. No mask is needed. */
export function seesEverything({ layout, past }: CachePlan, reach: number): boolean {
  return layout.longest === 1 && past.every((held) => held + 1 === reach);
}

/**
 * What each new token may look at, as an additive mask [S, group * longest, reach]: 0 where it may, `hidden` elsewhere;
 * the rows of a sequence are repeated `group` times.
 */
export function reachMask(
  { layout, past }: CachePlan,
  reach: number,
  { hidden, group }: { readonly hidden: number; readonly group: number },
): Float32Array {
  const { longest, offsets } = layout;
  const mask = new Float32Array(past.length * group * longest * reach).fill(hidden);
  for (let s = 0; s < past.length; s++) {
    const length = (offsets[s + 1] as number) - (offsets[s] as number);
    for (let g = 0; g < group; g++)
      for (let i = 0; i < longest; i++) {
        const start = ((s * group + g) * longest + i) * reach;
        // A padded row looks at the first position, so that its softmax is a number.
        mask.fill(0, start, start + (i < length ? (past[s] as number) + i + 1 : 1));
      }
  }
  return mask;
}
