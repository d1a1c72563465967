import type { SequenceLayout, Tensor } from "../kernels/index.ts";
import { expect, test } from "vitest";
import { elementBytes, libtorchScratch } from "./scratch-bytes.ts";

const tensor = (...shape: number[]): Tensor => ({ shape, dtype: "float" });
const scratch = libtorchScratch(elementBytes.float32, { headBytes: 0 });

function layoutOf(lengths: readonly number[], longest: number, parents?: readonly number[]): SequenceLayout {
  const offsets = Int32Array.from([0, ...lengths], (_, s) =>
    lengths.slice(0, s).reduce((sum, length) => sum + length, 0),
  );
  return {
    offsets,
    offsetsOnDevice: tensor(offsets.length),
    longest,
    ...(parents && { tree: { parents: Int32Array.from(parents), parentsOnDevice: tensor(parents.length) } }),
  };
}

function bothWays(rows: number, layout: SequenceLayout): readonly number[] {
  const [q, k, v] = [tensor(rows, 6), tensor(rows, 2), tensor(rows, 2)];
  return [scratch("attention", [q, k, v, {}, layout]), scratch("attentionBackward", [q, { q, k, v }, {}, layout])];
}

test("sequences are padded to the longest, unless all are as long", () => {
  expect(bothWays(6, layoutOf([4, 2], 4))).toEqual([4 * 8 * 16, 4 * 8 * 32]);
  expect(bothWays(6, layoutOf([3, 3], 3))).toEqual([0, 0]);
});

test("a tree's segments attend to themselves, and once to each that they continue", () => {
  // 20 rows continued by 20, which are continued by 20: 20 + 2 * 20 rows attend to others, 40 are attended to.
  const chain = layoutOf([20, 20, 20], 60, [-1, 0, 1]);
  expect(bothWays(60, chain)).toEqual([
    4 * (3 * 60 * 6 + 60 * 4 + 6 * 60 * 6 + 40 * 4),
    4 * (5 * 60 * 6 + 3 * 60 * 4 + 8 * 60 * 6 + 5 * 40 * 4),
  ]);
});

test("segments of a tree are padded to those up to twice as long, from copies with a row of zeros", () => {
  // 40 and 30 together, the short ones together: 80 + 2 * 10 places for 85 rows.
  const uneven = layoutOf([40, 30, 10, 5], 70, [-1, 0, 0, 0]);
  expect(bothWays(85, uneven)).toEqual([
    4 * ((85 + 3 * 100 + 6 * 45) * 6 + (85 + 100 + 40) * 4),
    4 * ((3 * 85 + 5 * 100 + 8 * 45) * 6 + (85 + 3 * 100 + 5 * 40) * 4),
  ]);
});

test("memory of a tree with a thousand leaves grows with its rows, not with leaves times depth", () => {
  const lengths = [1000, ...Array.from({ length: 1000 }, () => 10)];
  const star = layoutOf(lengths, 1010, [-1, ...Array.from({ length: 1000 }, () => 0)]);
  const [, backward] = bothWays(11_000, star);
  expect(backward).toBeLessThan(20 * 4 * 11_000 * 10);
});
