import type { AttentionShape, Kernels, KeyValueCache, Tensor } from "../../contract.ts";
import { attentionShapeOf } from "./attention-cases.ts";
import { Bench } from "./bench.ts";
import { agreesWithReference, expectClose, expectRefusal, tolerances, type KernelCase } from "./kernel-case.ts";

/** Queries, keys and values of whole sequences; cases use parts. */
export interface Sequences {
  readonly q: Tensor;
  readonly k: Tensor;
  readonly v: Tensor;
}

export function sequences(bench: Bench, rows: number, shape: AttentionShape): Sequences {
  const [wide, narrow] = [shape.queryHeads * shape.headDim, shape.kvHeads * shape.headDim];
  return {
    q: bench.floats("q", [rows, wide]),
    k: bench.floats("k", [rows, narrow]),
    v: bench.floats("v", [rows, narrow]),
  };
}

export function take(bench: Bench, from: Sequences, rows: readonly number[]): Sequences {
  const chosen = bench.ints("chosen", rows);
  const [q, k, v] = [from.q, from.k, from.v].map((tensor) => bench.kernels.gatherRows(tensor, chosen));
  return { q: q as Tensor, k: k as Tensor, v: v as Tensor };
}

/** Cached attention of a part. @param pages - pages of each sequence, in order */
export function attend(
  bench: Bench,
  { q, k, v }: Sequences,
  cache: KeyValueCache,
  shape: AttentionShape,
  [lengths, pages, past]: Parameters<Bench["plan"]>,
): Tensor {
  return bench.kernels.attentionCached(q, k, v, cache, shape, bench.plan(lengths, pages, past));
}

export function range(start: number, end: number): number[] {
  return Array.from({ length: end - start }, (_, i) => start + i);
}

export function withCache<T>(
  kernels: Kernels,
  pages: number,
  pageSize: number,
  shape: AttentionShape,
  body: (cache: KeyValueCache) => T,
): T {
  const cache = kernels.createCache({ pages, pageSize, kvHeads: shape.kvHeads, headDim: shape.headDim });
  try {
    return body(cache);
  } finally {
    kernels.freeCache(cache);
  }
}

interface Part {
  readonly rows: readonly number[];
  readonly out: Tensor;
}

/** Two sequences, of 7 and 4 positions, in four calls. */
function inParts(bench: Bench, all: Sequences, cache: KeyValueCache, shape: AttentionShape): Part[] {
  const step = (rows: number[], lengths: number[], cacheRows: number[], past: number[]): Part => {
    return { rows, out: attend(bench, take(bench, all, rows), cache, shape, [lengths, cacheRows, past]) };
  };
  return [
    step([7, 8, 0, 1, 2], [2, 3], [0, 2], [0, 0]),
    step([3, 9], [1, 1], [2, 0], [3, 2]),
    step([4, 5], [2], [2], [4]),
    step([10, 6], [1, 1], [0, 2], [3, 6]),
  ];
}

function equalsFullAttention(queryHeads: number, kvHeads: number, headDim: number): KernelCase {
  const shape = attentionShapeOf(queryHeads, kvHeads, headDim);
  return {
    name: `cached attention equals full attention: ${queryHeads} on ${kvHeads} heads of ${headDim}`,
    async run(create) {
      const kernels = await create();
      const { full, parts } = kernels.scope(() => {
        const bench = new Bench(kernels);
        const all = sequences(bench, 11, shape);
        return {
          full: kernels.attention(all.q, all.k, all.v, shape, bench.layout([7, 4])).out,
          parts: withCache(kernels, 3, 7, shape, (cache) => inParts(bench, all, cache, shape)),
        };
      });
      const expected = await kernels.read(full);
      const width = queryHeads * headDim;
      const row = (values: typeof expected, n: number): typeof expected => values.slice(n * width, (n + 1) * width);
      for (const { rows, out } of parts) {
        const actual = await kernels.read(out);
        for (const [i, n] of rows.entries())
          expectClose(`position ${n}`, row(actual, i), row(expected, n), 2 * tolerances[kernels.dtype]);
      }
      kernels.free(full, ...parts.map(({ out }) => out));
    },
  };
}

/** Key-value caches: prefill, decode, shared prompts. */
export const cacheCases: readonly KernelCase[] = [
  equalsFullAttention(1, 1, 6),
  equalsFullAttention(4, 2, 16),
  equalsFullAttention(4, 1, 20),
  equalsFullAttention(6, 2, 38),
  agreesWithReference("a copied page continues like its source, and only that far", (bench) => {
    const { kernels } = bench;
    const shape = attentionShapeOf(2, 1, 6);
    const all = sequences(bench, 8, shape);
    return withCache(kernels, 3, 6, shape, (cache) => {
      const [prompt, next, other] = [take(bench, all, range(0, 4)), take(bench, all, [4, 5, 6]), take(bench, all, [7])];
      const prefill = attend(bench, prompt, cache, shape, [[4], [1], [0]]);
      kernels.copyCachePages(cache, Int32Array.of(1, 1), Int32Array.of(0, 2), Int32Array.of(4, 2));
      const forked = attend(bench, next, cache, shape, [
        [1, 1, 1],
        [2, 0, 1],
        [2, 4, 4],
      ]);
      const after = attend(bench, other, cache, shape, [[1], [0], [5]]);
      return { prefill, forked, after };
    });
  }),
  agreesWithReference("copied pages continue in a larger cache", (bench) => {
    const { kernels } = bench;
    const shape = attentionShapeOf(2, 1, 6);
    const all = sequences(bench, 8, shape);
    const [first, next] = [take(bench, all, range(0, 5)), take(bench, all, [5, 6, 7])];
    return withCache(kernels, 3, 9, shape, (larger) => {
      withCache(kernels, 2, 4, shape, (small) => {
        attend(bench, first, small, shape, [
          [2, 3],
          [0, 1],
          [0, 0],
        ]);
        kernels.copyCachePages(larger, Int32Array.of(1, 0), Int32Array.of(0, 2), Int32Array.of(3, 2), small);
      });
      return {
        out: attend(bench, next, larger, shape, [
          [2, 1],
          [0, 2],
          [3, 2],
        ]),
      };
    });
  }),
  agreesWithReference("a sequence restarts where past says so", (bench) => {
    const { kernels } = bench;
    const shape = attentionShapeOf(2, 2, 16);
    const all = sequences(bench, 8, shape);
    return withCache(kernels, 1, 5, shape, (cache) => {
      const [first, second] = [take(bench, all, range(0, 5)), take(bench, all, range(5, 8))];
      const full = attend(bench, first, cache, shape, [[5], [0], [0]]);
      const again = attend(bench, second, cache, shape, [[3], [0], [1]]);
      return { full, again };
    });
  }),
  agreesWithReference("a decode step of 70 rows", (bench) => {
    const { kernels } = bench;
    const shape = attentionShapeOf(4, 2, 16);
    const [B, prompt] = [70, 3];
    const all = sequences(bench, B * (prompt + 1), shape);
    return withCache(kernels, B, prompt + 1, shape, (cache) => {
      const [before, now] = [
        take(bench, all, range(0, B * prompt)),
        take(bench, all, range(B * prompt, B * (prompt + 1))),
      ];
      const rows = range(0, B).toReversed();
      const each = (value: number): number[] => rows.map(() => value);
      attend(bench, before, cache, shape, [each(prompt), rows, each(0)]);
      return { out: attend(bench, now, cache, shape, [each(1), rows, each(prompt)]) };
    });
  }),
  {
    name: "a cache refuses positions beyond its pages",
    async run(create) {
      const kernels = await create();
      kernels.scope(() => {
        const bench = new Bench(kernels);
        const shape = attentionShapeOf(1, 1, 6);
        const { q, k, v } = sequences(bench, 2, shape);
        withCache(kernels, 2, 4, shape, (cache) => {
          const call = (page: number, past: number): Tensor =>
            kernels.attentionCached(q, k, v, cache, shape, bench.plan([2], [page], [past]));
          expectRefusal("3 + 2 of 4 positions", "input_invalid", () => call(0, 3));
          expectRefusal("page 2 of 2", "input_invalid", () => call(2, 0));
          const copy = (from: number, to: number, length: number): void =>
            kernels.copyCachePages(cache, Int32Array.of(from), Int32Array.of(to), Int32Array.of(length));
          expectRefusal("copying page 2 of 2", "input_invalid", () => copy(2, 0, 1));
          expectRefusal("copying to page -1", "input_invalid", () => copy(0, -1, 1));
          const other = (heads: number, pageSize: number): void =>
            withCache(kernels, 2, pageSize, attentionShapeOf(heads, heads, 6), (source) =>
              kernels.copyCachePages(cache, Int32Array.of(0), Int32Array.of(0), Int32Array.of(4), source),
            );
          expectRefusal("copying from a cache of other heads", "input_invalid", () => other(2, 4));
          expectRefusal("copying 4 of 3 positions", "input_invalid", () => other(1, 3));
          expectRefusal("copying 5 of 4 positions", "input_invalid", () => copy(0, 1, 5));
        });
      });
    },
  },
];
