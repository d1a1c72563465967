import { expect, test } from "vitest";
import { ancestorRuns, subtreeEnds } from "./segment-tree.ts";
import { Bench } from "./testing/cases/bench.ts";
import { createReferenceKernels } from "./testing/reference-kernels.ts";

test("a segment's path, and where what continues it ends", () => {
  const parents = [-1, 0, 1, 1, 0, -1];
  const layout = new Bench(createReferenceKernels()).layout([3, 2, 4, 1, 5, 2], parents);
  expect(ancestorRuns(layout, 3)).toEqual([
    { start: 0, end: 3 },
    { start: 3, end: 5 },
    { start: 9, end: 10 },
  ]);
  expect(ancestorRuns(layout, 5)).toEqual([{ start: 15, end: 17 }]);
  expect([...subtreeEnds(Int32Array.from(parents))]).toEqual([5, 4, 3, 4, 5, 6]);
  expect(layout.longest).toBe(9);
});
