import type { Kernels, KeyValueCache } from "../kernels/index.ts";
import { expect, test } from "vitest";
import { MeasuredKernels } from "../memory/measured-kernels.ts";
import { tinyConfig } from "../testing/tiny-models.ts";
import { parseModelConfig, type ModelConfig } from "../transformer/model-config.ts";
import { cacheLimitBytes, keyValueCacheBytes, positionBytes } from "./cache-bytes.ts";
import { CachePages, type PageHolder } from "./cache-pages.ts";

/** The cache geometry of Qwen2.5-0.5B over next to no weights. */
const half: ModelConfig = parseModelConfig(
  tinyConfig(
    "qwen2",
    { vocabulary: 8, width: 16, inner: 8, heads: 2, keyValueHeads: 2, layers: 24 },
    { head_dim: 64, max_position_embeddings: 2048 },
  ),
);

function kernelsWith(cachePageSize: number | null, free = Infinity): { kernels: Kernels; made: KeyValueCache[] } {
  const made: KeyValueCache[] = [];
  const kernels: Kernels = {
    ...new MeasuredKernels("bfloat16").kernels,
    cachePageSize,
    memory: () => ({ free, total: free }),
    createCache(size) {
      const cache = { ...size };
      made.push(cache);
      return cache;
    },
    freeCache: (cache) => void made.splice(made.indexOf(cache), 1),
  };
  return { kernels, made };
}

const holder = (held: number): { pages: readonly number[]; held: number } => ({ pages: [], held });
const bytesOf = (caches: readonly KeyValueCache[]): number =>
  caches.reduce((sum, { pages, pageSize, kvHeads, headDim }) => sum + 4 * pages * pageSize * kvHeads * headDim, 0);

test("12 kB a position in bfloat16: three quarters of 8 GB are 488,281 positions", () => {
  expect(positionBytes(half, "bfloat16")).toBe(12_288);
  expect(keyValueCacheBytes(half, "bfloat16", [2048, 100])).toBe(2 * 2048 * 12_288);
  expect(keyValueCacheBytes(half, "bfloat16", [2048, 100], 256)).toBe((2048 + 256) * 12_288);
});

test.each([
  ["pages of 256", 256],
  ["rows", null],
] as const)("%s: at most 512 replies of 2,048 positions start with 8 GB free, and grow with free memory", (_, size) => {
  const { kernels, made } = kernelsWith(size, 8e9);
  const pages = new CachePages(kernels, half, { share: 0.75 });
  const replies = Array.from({ length: 512 }, () => holder(0));
  const wants = replies.map((reply) => ({ holder: reply, positions: pages.firstPositions(100, 2048, 512) }));
  expect(pages.fits(wants)).toBe(true);
  expect(pages.take(wants)).toBe(true);
  expect(bytesOf(made)).toBeLessThanOrEqual(0.75 * 8e9);
  const grow = (): boolean => {
    const more = replies.flatMap((reply) => {
      reply.held += 1;
      const positions = pages.nextPositions(reply, 2048);
      return positions === null ? [] : [{ holder: reply, positions }];
    });
    return more.length === 0 || pages.take(more);
  };
  for (const reply of replies) reply.held = 100;
  let reached = 100;
  while (reached < 2048 && grow()) reached += 1;
  // Whole pages and steps of growth leave some of the 953 unused.
  expect(reached).toBeGreaterThanOrEqual(size === null ? 850 : 767);
  expect(bytesOf(made)).toBeLessThanOrEqual(0.75 * 8e9);
  pages.free();
  expect(made).toEqual([]);
});

test("replies share the full pages of a common prefix, copy the rest, and release each page at its last holder", () => {
  const { kernels } = kernelsWith(4);
  const copied: string[] = [];
  const pages = new CachePages(
    {
      ...kernels,
      copyCachePages: (_, from, to, lengths) =>
        void copied.push([from, to, lengths].map((item) => item.join()).join(" ")),
    },
    { ...half, layers: 1 },
    { share: 0.75 },
  );
  const [first, second, third]: PageHolder[] = [holder(10), holder(10), holder(10)];
  const start = { of: first as PageHolder, length: 10 };
  pages.take([
    { holder: first as PageHolder, positions: 12 },
    { holder: second as PageHolder, positions: 12, start },
    { holder: third as PageHolder, positions: 13, start },
  ]);
  expect([first, second, third].map((pageHolder) => pageHolder?.pages)).toEqual([
    [0, 1, 2],
    [0, 1, 3],
    [0, 1, 4, 5],
  ]);
  pages.copyRest(first as PageHolder, [second, third] as PageHolder[], 10);
  expect(copied).toEqual(["2,2 3,4 2,2"]);
  expect(pages.table([third, first] as PageHolder[])).toEqual({
    table: Int32Array.of(0, 1, 4, 5, 0, 1, 2, 0),
    width: 4,
  });
  pages.release(first as PageHolder);
  const fourth = holder(0);
  pages.take([{ holder: fourth, positions: 4 }]);
  expect(fourth.pages).toEqual([2]);
  pages.release(second as PageHolder);
  pages.release(third as PageHolder);
  const fifth = holder(0);
  pages.take([{ holder: fifth, positions: 16 }]);
  expect(fifth.pages).toEqual([0, 1, 3, 4]);
});

test("the limit is a share of the free memory, the requested size, or 1 GiB on a silent device", () => {
  let free = 1000;
  const device = { memory: () => ({ free, total: 2000 }) };
  expect(cacheLimitBytes(device, { share: 0.75 })).toBe(750);
  free = 10; // what a library keeps for reuse is not gone
  expect(cacheLimitBytes(device, { share: 0.5 })).toBe(500);
  expect(cacheLimitBytes(device, { bytes: 7 })).toBe(7);
  expect(cacheLimitBytes({ memory: () => null }, { share: 0.75 })).toBe(2 ** 30);
});

test("an oversized request is rejected whole", () => {
  const { kernels, made } = kernelsWith(4);
  const pages = new CachePages(kernels, half, { bytes: 5 * 4 * 12_288 });
  const [one, two] = [holder(0), holder(0)];
  expect(pages.take([{ holder: one, positions: 9 }])).toBe(true);
  const before = bytesOf(made);
  expect(pages.take([{ holder: two, positions: 9 }])).toBe(false);
  expect([two.pages, bytesOf(made)]).toEqual([[], before]);
  expect(pages.fits([{ holder: two, positions: 9 }], [one])).toBe(true);
  expect(pages.take([{ holder: two, positions: 9 }], true)).toBe(true);
});
