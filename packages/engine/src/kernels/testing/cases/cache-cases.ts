import type { AttentionShape, Kernels, KeyValueCache, Tensor } from "../../contract.ts";
import { attentionShapeOf } from "./attention-cases.ts";
import { Bench } from "./bench.ts";
import { agreesWithReference, expectClose, expectRefusal, tolerances, type KernelCase } from "./kernel-case.ts";

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

export function agreesOverCache(
  name: string,
  [shape, rows, pages, pageSize]: readonly [shape: AttentionShape, rows: number, pages: number, pageSize: number],
  body: (bench: Bench, all: Sequences, cache: KeyValueCache) => Record<string, Tensor>,
  conditioning?: number,
): KernelCase {
  const run = (bench: Bench): Record<string, Tensor> => {
    const all = sequences(bench, rows, shape);
    return withCache(bench.kernels, pages, pageSize, shape, (cache) => body(bench, all, cache));
  };
  return agreesWithReference(name, run, conditioning);
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

const [narrow, pairs] = [attentionShapeOf(2, 1, 6), attentionShapeOf(2, 2, 16)];

export const grouped: AttentionShape = attentionShapeOf(4, 2, 16);

export const cacheCases: readonly KernelCase[] = [
  equalsFullAttention(1, 1, 6),
  equalsFullAttention(4, 2, 16),
  equalsFullAttention(4, 1, 20),
  equalsFullAttention(6, 2, 38),
  agreesOverCache(
    "a copied page continues like its source, and only that far",
    [narrow, 8, 3, 6],
    (bench, all, cache) => {
      const [prompt, next, other] = [take(bench, all, range(0, 4)), take(bench, all, [4, 5, 6]), take(bench, all, [7])];
      const prefill = attend(bench, prompt, cache, narrow, [[4], [1], [0]]);
      bench.kernels.copyCachePages(cache, Int32Array.of(1, 1), Int32Array.of(0, 2), Int32Array.of(4, 2));
      const forks = [2, 0, 1];
      const forked = attend(bench, next, cache, narrow, [[1, 1, 1], forks, [2, 4, 4]]);
      const after = attend(bench, other, cache, narrow, [[1], [0], [5]]);
      return { prefill, forked, after };
    },
  ),
  agreesOverCache("copied pages continue in a larger cache", [narrow, 8, 3, 9], (bench, all, larger) => {
    const { kernels } = bench;
    const [first, next] = [take(bench, all, range(0, 5)), take(bench, all, [5, 6, 7])];
    withCache(kernels, 2, 4, narrow, (small) => {
      const own = [0, 1];
      attend(bench, first, small, narrow, [[2, 3], own, [0, 0]]);
      kernels.copyCachePages(larger, Int32Array.of(1, 0), Int32Array.of(0, 2), Int32Array.of(3, 2), small);
    });
    const copied = [0, 2];
    return { out: attend(bench, next, larger, narrow, [[2, 1], copied, [3, 2]]) };
  }),
  agreesOverCache("a sequence restarts where past says so", [pairs, 8, 1, 5], (bench, all, cache) => {
    const [first, second] = [take(bench, all, range(0, 5)), take(bench, all, range(5, 8))];
    const full = attend(bench, first, cache, pairs, [[5], [0], [0]]);
    const again = attend(bench, second, cache, pairs, [[3], [0], [1]]);
    return { full, again };
  }),
  agreesOverCache("a decode step of 70 rows", [grouped, 70 * 4, 70, 4], (bench, all, cache) => {
    const [before, now] = [take(bench, all, range(0, 210)), take(bench, all, range(210, 280))];
    const rows = range(0, 70).toReversed();
    const each = (value: number): number[] => rows.map(() => value);
    attend(bench, before, cache, grouped, [each(3), rows, each(0)]);
    return { out: attend(bench, now, cache, grouped, [each(1), rows, each(3)]) };
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
          const copy = (from: number, to: number, length: number, source = cache): void =>
            kernels.copyCachePages(cache, Int32Array.of(from), Int32Array.of(to), Int32Array.of(length), source);
          const other = (heads: number, pageSize: number): void =>
            withCache(kernels, 2, pageSize, attentionShapeOf(heads, heads, 6), (source) => copy(0, 0, 4, source));
          const refused: Readonly<Record<string, () => unknown>> = {
            "3 + 2 of 4 positions": () => call(0, 3),
            "page 2 of 2": () => call(2, 0),
            "copying page 2 of 2": () => copy(2, 0, 1),
            "copying to page -1": () => copy(0, -1, 1),
            "copying from a cache of other heads": () => other(2, 4),
            "copying 4 of 3 positions": () => other(1, 3),
            "copying 5 of 4 positions": () => copy(0, 1, 5),
          };
          for (const [what, run] of Object.entries(refused)) expectRefusal(what, "input_invalid", run);
        });
      });
    },
  },
];
