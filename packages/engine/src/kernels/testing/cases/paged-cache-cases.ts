import type { AttentionShape, Kernels, KeyValueCache, Tensor } from "../../contract.ts";
import { attentionShapeOf } from "./attention-cases.ts";
import { Bench } from "./bench.ts";
import { agreesOverCache, attend, grouped, range, sequences, take, withCache, type Sequences } from "./cache-cases.ts";
import { agreesWithReference, expectClose, expectSame, tolerances, type KernelCase } from "./kernel-case.ts";

const [pages, pageSize] = [12, 4];

/**
 * Fills every page with numbers that no sequence may see: NaN for sets that read through the table, large numbers for
 * sets that mask.
 */
function fillPages(bench: Bench, shape: AttentionShape, cache: KeyValueCache): void {
  const { kernels } = bench;
  const width = shape.kvHeads * shape.headDim;
  const hidden = kernels.cachePageSize === null ? 1000 : NaN;
  const rows = kernels.upload(new Float64Array(pageSize * width).fill(hidden), [pageSize, width]);
  const query = kernels.zeros([pageSize, shape.queryHeads * shape.headDim]);
  for (let page = 0; page < pages; page++)
    kernels.attentionCached(query, rows, rows, cache, shape, bench.plan([pageSize], [page], [0]));
}

/** Two sequences on scattered pages: long prompts, decode steps across pages, then two more tokens at once. */
function scattered(bench: Bench, shape: AttentionShape): Record<string, Tensor> {
  const { kernels } = bench;
  const all = sequences(bench, 26, shape);
  const [long, short] = [
    [7, 2, 9, 4],
    [5, 11, 0],
  ] as const;
  return withCache(kernels, pages, pageSize, shape, (cache) => {
    fillPages(bench, shape, cache);
    const step = (rows: readonly number[], ...plan: Parameters<Bench["plan"]>): Tensor =>
      attend(bench, take(bench, all, rows), cache, shape, plan);
    return {
      prompts: step(range(0, 15), [10, 5], [long, short], [0, 0]),
      first: step([15, 16], [1, 1], [short, long], [5, 10]),
      second: step([17, 18], [1, 1], [long, short], [11, 6]),
      third: step([19, 20], [1, 1], [long, short], [12, 7]),
      more: step([21, 22, 23, 24, 25], [3, 2], [long, short], [13, 8]),
    };
  });
}

function scatteredPages(queryHeads: number, kvHeads: number, headDim: number): KernelCase {
  return agreesWithReference(
    `pages anywhere, of unequal sequences: ${queryHeads} on ${kvHeads} heads of ${headDim}`,
    (bench) => scattered(bench, attentionShapeOf(queryHeads, kvHeads, headDim)),
    2,
  );
}

export const pagedCacheCases: readonly KernelCase[] = [
  scatteredPages(2, 2, 6),
  scatteredPages(4, 2, 16),
  scatteredPages(4, 1, 64),
  ...[
    { over: "one page", size: 40, table: [1] },
    { over: "many pages", size: 4, table: [7, 2, 9, 0, 4, 10, 3, 8, 1] },
  ].map(({ over, size, table }) =>
    agreesOverCache(
      `a long prompt in parts, over ${over}`,
      [grouped, 33, 12, size],
      (bench, all, cache) => {
        const part = (from: number, to: number): Tensor =>
          attend(bench, take(bench, all, range(from, to)), cache, grouped, [[to - from], [table], [from]]);
        return { first: part(0, 9), second: part(9, 22), third: part(22, 33) };
      },
      2,
    ),
  ),
  agreesOverCache(
    "sequences continue shared pages, each after a copy of the last",
    [grouped, 18, pages, pageSize],
    (bench, all, cache) => {
      const part = (from: number, to: number): Sequences => take(bench, all, range(from, to));
      const [prompt, next, more] = [part(0, 10), part(10, 13), part(13, 18)];
      const prefill = attend(bench, prompt, cache, grouped, [[10], [[8, 3, 6]], [0]]);
      bench.kernels.copyCachePages(cache, Int32Array.of(6, 6), Int32Array.of(1, 10), Int32Array.of(2, 2));
      const forks = [1, 6, 10].map((last) => [8, 3, last]);
      const forked = attend(bench, next, cache, grouped, [[1, 1, 1], forks, [10, 10, 10]]);
      const tables = [[1, 2], [10]].map((own) => [8, 3, ...own]);
      const longer = attend(bench, more, cache, grouped, [[4, 1], tables, [11, 11]]);
      return { prefill, forked, longer };
    },
  ),
  {
    name: "a sequence over one page is the same over many, bit for bit where the set is batch invariant",
    async run(create) {
      const kernels = await create();
      const [one, many] = [await overPages(kernels, 12, [0]), await overPages(kernels, 4, [5, 2, 9])];
      if (kernels.batchInvariant) expectSame("12 positions", many, one);
      else expectClose("12 positions", many, one, 2 * tolerances[kernels.dtype]);
    },
  },
];

async function overPages(kernels: Kernels, size: number, table: readonly number[]): Promise<Float64Array> {
  const outs = kernels.scope(() => {
    const bench = new Bench(kernels);
    const all = sequences(bench, 12, grouped);
    return withCache(kernels, 10, size, grouped, (cache) =>
      [range(0, 7), [7], [8], [9], [10], [11]].map((rows) => {
        const first = rows[0] as number;
        return attend(bench, take(bench, all, rows), cache, grouped, [[rows.length], [table], [first]]);
      }),
    );
  });
  const values: number[] = [];
  for (const out of outs) values.push(...(await kernels.read(out)));
  kernels.free(...outs);
  return Float64Array.from(values);
}
