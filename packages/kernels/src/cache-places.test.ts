import { expect, test } from "vitest";
import { heldPlaces, longestReach, newPlaces, reachMask, rowsFollow, seesEverything } from "./cache-places.ts";
import type { CachePlan } from "./contract.ts";

const onDevice = (length: number) => ({ shape: [length], dtype: "int32" as const });

/** Two sequences: two new tokens for row 3 that holds one position, one for row 1 that holds two. */
const plan: CachePlan = {
  layout: { offsets: Int32Array.of(0, 2, 3), offsetsOnDevice: onDevice(3), longest: 2 },
  rows: Int32Array.of(3, 1),
  rowsOnDevice: onDevice(2),
  past: Int32Array.of(1, 2),
  pastOnDevice: onDevice(2),
};
const cache = { rows: 4, capacity: 5, kvHeads: 2, headDim: 8 };

test("new tokens go behind what their row holds, head by head", () => {
  // (row * heads + head) * capacity + position
  expect([...newPlaces(plan, cache)]).toEqual([31, 36, 32, 37, 12, 17]);
});

test("the first positions of a row lie together in each head", () => {
  expect([...heldPlaces(Int32Array.of(1, 0), Int32Array.of(2, 1), cache)]).toEqual([10, 11, 15, 16, 0, 5]);
});

test("rows that follow each other are told from others", () => {
  expect(rowsFollow(plan)).toBe(false);
  expect(rowsFollow({ ...plan, rows: Int32Array.of(2, 3) })).toBe(true);
  expect(rowsFollow({ ...plan, rows: Int32Array.of() })).toBe(true);
});

test("the mask hides what comes later; a padded token looks at the first position", () => {
  expect(longestReach(plan)).toBe(3);
  const [o, x] = [0, -Infinity];
  const rows = [
    [o, o, x],
    [o, o, o],
    [o, o, o],
    [o, x, x],
  ];
  expect([...reachMask(plan, 3, { hidden: -Infinity, group: 1 })]).toEqual(rows.flat());
  const twice = [...rows.slice(0, 2), ...rows.slice(0, 2), ...rows.slice(2), ...rows.slice(2)];
  expect([...reachMask(plan, 3, { hidden: -Infinity, group: 2 })]).toEqual(twice.flat());
});

test("one token a sequence needs no mask where all rows are equally long", () => {
  const layout = { offsets: Int32Array.of(0, 1, 2), offsetsOnDevice: onDevice(3), longest: 1 };
  expect(seesEverything({ ...plan, layout, past: Int32Array.of(2, 2) }, 3)).toBe(true);
  expect(seesEverything({ ...plan, layout, past: Int32Array.of(2, 1) }, 3)).toBe(false);
  expect(seesEverything(plan, 3)).toBe(false);
});
