import { describe, expect, test } from "vitest";
import type { AttentionShape, CachePlan } from "./contract.ts";
import { KeyValueCaches } from "./key-value-caches.ts";

const size = { pages: 2, pageSize: 4, kvHeads: 1, headDim: 2 };
const floats = (...shape: number[]) => ({ shape, dtype: "float" as const });
const ints = (length: number) => ({ shape: [length], dtype: "int32" as const });
const shape: AttentionShape = { queryHeads: 2, kvHeads: 1, headDim: 2, scale: 1 };
const plan: CachePlan = {
  layout: { offsets: Int32Array.of(0, 3), offsetsOnDevice: ints(2), longest: 3 },
  table: Int32Array.of(1),
  tableOnDevice: { shape: [1, 1], dtype: "int32" },
  past: Int32Array.of(1),
  pastOnDevice: ints(1),
};
const [q, k, v] = [floats(3, 4), floats(3, 2), floats(3, 2)];

test("a cache lives from adopt to release, in its own set only", () => {
  const [caches, others] = [new KeyValueCaches(), new KeyValueCaches()];
  const cache = caches.adopt({ ...size });
  expect([caches.count, others.count]).toEqual([1, 0]);
  expect(caches.get(cache)).toBe(cache);
  expect(() => others.get(cache)).toThrow("belongs to another kernel set");
  expect(caches.release(cache)).toBe(cache);
  expect(caches.count).toBe(0);
  expect(() => caches.release(cache)).toThrow("used after it was freed");
  caches.adopt({ ...size });
  caches.dispose();
  expect(caches.count).toBe(0);
});

describe("calls", () => {
  const caches = new KeyValueCaches();
  const cache = caches.adopt({ ...size });
  const small = caches.adopt({ ...size, pages: 1, pageSize: 2 });

  test("attention that fits gives the cache and its new tokens; what does not is refused", () => {
    expect(caches.attended(q, k, v, cache, shape, plan)).toEqual({ cache, tokens: 3 });
    const past = Int32Array.of(2);
    expect(() => caches.attended(q, k, v, cache, shape, { ...plan, past })).toThrow(
      "would hold 5 positions in 1 pages of 4",
    );
    expect(() => caches.attended(q, k, v, { ...cache }, shape, plan)).toThrow("used after it was freed");
    const other = caches.adopt({ ...size, kvHeads: 2 });
    expect(() => caches.attended(q, k, v, other, shape, plan)).toThrow("the cache holds 2 heads of 2");
  });

  test("a copy that leaves either cache is refused", () => {
    const [row, length] = [Int32Array.of(0), Int32Array.of(2)];
    expect(caches.copied(cache, row, row, length, small)).toEqual({ target: cache, origin: small });
    expect(() => caches.copied(cache, row, row, Int32Array.of(3), small)).toThrow("copyCachePages: 3 positions");
    expect(() => caches.copied(small, Int32Array.of(1), Int32Array.of(1), length, cache)).toThrow("copyCachePages");
  });
});
