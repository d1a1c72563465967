import { inputError } from "@laconic/core";
import type { AttentionShape, CachePlan, KeyValueCache } from "../../contract.ts";
import { attendOneRow, rowsBetween } from "./attention.ts";
import { Matrix, zerosLike } from "./matrix.ts";

/** Keys and values of one layer; position p of page g is row g * pageSize + p. */
export interface ReferenceCache extends KeyValueCache {
  readonly keys: Matrix;
  readonly values: Matrix;
}

/** Unwritten positions are NaN, which exposes invalid reads. */
export function createCache(size: KeyValueCache): ReferenceCache {
  const empty = (): Matrix => {
    const matrix = new Matrix(size.pages * size.pageSize, size.kvHeads * size.headDim);
    matrix.data.fill(NaN);
    return matrix;
  };
  return { ...size, keys: empty(), values: empty() };
}

export function attentionCached(
  q: Matrix,
  k: Matrix,
  v: Matrix,
  cache: ReferenceCache,
  shape: AttentionShape,
  plan: CachePlan,
): Matrix {
  const out = zerosLike(q);
  const { offsets } = plan.layout;
  plan.past.forEach((past, s) => {
    const [start, end] = [offsets[s] as number, offsets[s + 1] as number];
    for (let n = start; n < end; n++) {
      const to = placeOf(plan, cache, s, past + n - start);
      cache.keys.row(to).set(k.row(n));
      cache.values.row(to).set(v.row(n));
    }
    const [keys, values] = [cache.keys, cache.values].map((held) => {
      const rows = new Matrix(past + end - start, held.columns);
      for (let p = 0; p < rows.rows; p++) rows.row(p).set(held.row(placeOf(plan, cache, s, p)));
      return rows;
    }) as [Matrix, Matrix];
    for (let n = start; n < end; n++)
      for (let h = 0; h < shape.queryHeads; h++)
        attendOneRow(q, keys, values, shape, { n, h, rows_J: rowsBetween(0, past + n - start + 1) }, out);
  });
  return out;
}

/** @throws LaconicError `input_invalid` if new tokens go to a page that a different sequence reads. */
export function expectOwnPages({ layout, table, past }: CachePlan, pageSize: number, what: string): void {
  const width = table.length / past.length;
  const distinct = new Map(
    Array.from(past, (held, s) => {
      const end = held + (layout.offsets[s + 1] as number) - (layout.offsets[s] as number);
      const pages = table.slice(s * width, s * width + Math.ceil(end / pageSize));
      const written = end > held ? pages.slice(Math.floor(held / pageSize)) : [];
      return [end === held + 1 ? `${end} ${pages.join()}` : s, { pages, written }] as const;
    }),
  );
  const readers = new Map<number, number>();
  for (const { pages } of distinct.values()) for (const page of pages) readers.set(page, (readers.get(page) ?? 0) + 1);
  for (const page of [...distinct.values()].flatMap(({ written }) => [...written]))
    if (readers.get(page) !== 1)
      throw inputError(`${what}: new tokens go to page ${page}, which appears twice`, { page });
}

function placeOf({ table, past }: CachePlan, { pageSize }: KeyValueCache, sequence: number, position: number): number {
  const width = table.length / past.length;
  const page = table[sequence * width + Math.floor(position / pageSize)] as number;
  return page * pageSize + (position % pageSize);
}

export function copyCachePages(
  cache: ReferenceCache,
  from: Int32Array,
  to: Int32Array,
  lengths: Int32Array,
  source: ReferenceCache,
): void {
  from.forEach((page, i) => {
    const [start, target] = [page * source.pageSize, (to[i] as number) * cache.pageSize];
    for (let position = 0; position < (lengths[i] as number); position++) {
      cache.keys.row(target + position).set(source.keys.row(start + position));
      cache.values.row(target + position).set(source.values.row(start + position));
    }
  });
}
