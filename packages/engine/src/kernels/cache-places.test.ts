import { expect, test } from "vitest";
import { heldPlaces, longestReach, newPages, newPlaces, pageRun, reachMask, seesEverything } from "./cache-places.ts";
import type { CachePlan } from "./contract.ts";

const onDevice = (length: number) => ({ shape: [length], dtype: "int32" as const });

/** Two sequences: two new tokens for page 3 that holds one position, one for page 1 that holds two. */
const plan: CachePlan = {
  layout: { offsets: Int32Array.of(0, 2, 3), offsetsOnDevice: onDevice(3), longest: 2 },
  table: Int32Array.of(3, 1),
  tableOnDevice: { shape: [2, 1], dtype: "int32" },
  past: Int32Array.of(1, 2),
  pastOnDevice: onDevice(2),
};
const cache = { pages: 4, pageSize: 5, kvHeads: 2, headDim: 8 };

test("new tokens go behind what their pages hold, head by head", () => {
  // (page * heads + head) * pageSize + position
  expect([...newPlaces(plan, cache)]).toEqual([31, 36, 32, 37, 12, 17]);
  // Pages of two positions: position 1 of the first sequence in its first page, 2 of both in their second.
  const table = Int32Array.of(3, 0, 1, 2);
  expect(newPages({ ...plan, table }, { pageSize: 2 })).toEqual({
    pages: Int32Array.of(3, 0, 2),
    positions: Int32Array.of(1, 0, 0),
  });
});

test("the first positions of a page lie together in each head", () => {
  expect([...heldPlaces(Int32Array.of(1, 0), Int32Array.of(2, 1), cache)]).toEqual([10, 11, 15, 16, 0, 5]);
});

test("single pages that follow each other are told from others", () => {
  expect(pageRun(plan)).toBe(-1);
  expect(pageRun({ ...plan, table: Int32Array.of(2, 3) })).toBe(2);
  expect(pageRun({ ...plan, table: Int32Array.of(2, 3, 4, 5) })).toBe(-1);
  expect(pageRun({ ...plan, table: Int32Array.of(), past: Int32Array.of() })).toBe(0);
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
