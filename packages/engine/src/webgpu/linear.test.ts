import type { GpuArray } from "./gpu-array.ts";
import { expect, test } from "vitest";
import { productProgram, tileFor } from "./linear.ts";

const everyAdapter = { maxComputeInvocationsPerWorkgroup: 256, maxComputeWorkgroupStorageSize: 16_384 };

test.each([
  [64, 64, [64, 64]],
  [33, 33, [64, 64]],
  [32, 64, [16, 64]],
  [9, 4096, [16, 64]],
  [8, 4096, [16, 16]],
  [1, 1, [16, 16]],
])("a product of %d by %d takes the largest tile that it half fills", (rows, columns, expected) => {
  const tile = tileFor(everyAdapter, rows, columns);
  expect([tile.rows, tile.columns]).toEqual(expected);
});

test("a tile keeps to the adapter's threads and memory", () => {
  const fewThreads = tileFor({ ...everyAdapter, maxComputeInvocationsPerWorkgroup: 128 }, 1000, 1000);
  expect([fewThreads.rows, fewThreads.columns]).toEqual([16, 64]);
  const littleMemory = tileFor({ ...everyAdapter, maxComputeWorkgroupStorageSize: 4096 }, 1000, 1000);
  expect([littleMemory.rows, littleMemory.columns]).toEqual([16, 16]);
});

test("reads four numbers at a time if both axes are multiples of four, and starts a group per tile", () => {
  const tile = tileFor(everyAdapter, 65, 130);
  const data = {} as GpuArray;
  const of = (inner: number, along: boolean): ReturnType<typeof productProgram> =>
    productProgram(
      {
        rows: 65,
        columns: 130,
        inner,
        left: { data, along: true },
        right: { data, along },
      },
      tile,
    );
  expect(of(8, true).vectors).toEqual(["left", "right"]);
  expect(of(9, true).vectors).toEqual([]);
  // The second operand lies along its 130 columns.
  expect(of(8, false).vectors).toEqual([]);
  expect(of(8, true).groups).toBe(2 * 3);
});
