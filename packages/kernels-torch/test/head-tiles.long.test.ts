import type { Kernels } from "@laconic/engine/kernels";
import { kernelCases } from "@laconic/engine/kernels/testing";
import { describe, expect, test } from "vitest";
import { headTiles } from "../src/kernels/head.ts";
import { torchKernelSet } from "../src/torch-kernels.ts";
import { cpuTorch, installedTorch } from "./installed-torch.ts";

const missing = "missing" in installedTorch();

test("tiles cover every logit once within the limit, down to one column", () => {
  for (const rows of [1, 3, 1000, 1760, 5000])
    for (const vocabulary of [1, 32, 5000, 30_011])
      for (const limit of [2 ** 12, 2 ** 20, 2 ** 26])
        for (const bytes of [
          { element: 8, column: 0 },
          { element: 6, column: 8960 },
        ]) {
          const tiles = headTiles(rows, vocabulary, bytes, limit);
          for (const [spans, total] of [
            [tiles.rows, rows],
            [tiles.columns, vocabulary],
          ] as const) {
            const starts = spans.map(({ start }) => start);
            const ends = spans.map(({ start, count }) => start + count);
            expect([...starts, total].join()).toBe([0, ...ends].join());
            expect(spans.every(({ count }) => count > 0)).toBe(true);
          }
          const [{ count: high }, { count: wide }] = [tiles.rows[0], tiles.columns[0]] as [
            { count: number },
            { count: number },
          ];
          const held = high * wide * bytes.element + wide * bytes.column;
          expect(wide === 1 || held <= limit).toBe(true);
        }
  expect(headTiles(0, 5, { element: 8, column: 0 }, 100).rows).toEqual([]);
});

describe.skipIf(missing).each([
  ["float32", 2 ** 7],
  ["float32", 2 ** 12],
  ["bfloat16", 2 ** 12],
] as const)("computes the head in tiles, %s, %i bytes each", (dtype, bytes) => {
  const create = (): Kernels => torchKernelSet(cpuTorch(), dtype, { attention: "math", headBytes: bytes });
  for (const item of kernelCases.filter(({ name }) => name.includes("headLogProbs") && !name.includes("4,300")))
    test(item.name, () => item.run(create));
});
