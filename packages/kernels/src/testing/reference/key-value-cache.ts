import type { AttentionShape, CachePlan, KeyValueCache } from "../../contract.ts";
import { attendOneRow } from "./attention.ts";
import { Matrix, zerosLike } from "./matrix.ts";

/** Keys and values of one layer; position p of row r is matrix row r * capacity + p. */
export interface ReferenceCache extends KeyValueCache {
  readonly keys: Matrix;
  readonly values: Matrix;
}

/** Unwritten positions are NaN, so that reading one shows. */
export function createCache(size: KeyValueCache): ReferenceCache {
  const empty = (): Matrix => {
    const matrix = new Matrix(size.rows * size.capacity, size.kvHeads * size.headDim);
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
  plan.rows.forEach((row, s) => {
    const past = plan.past[s] as number;
    const start = plan.layout.offsets[s] as number;
    const end = plan.layout.offsets[s + 1] as number;
    const from = row * cache.capacity;
    for (let n = start; n < end; n++) {
      const to = from + past + n - start;
      cache.keys.row(to).set(k.row(n));
      cache.values.row(to).set(v.row(n));
      for (let h = 0; h < shape.queryHeads; h++)
        attendOneRow(q, cache.keys, cache.values, shape, { n, h, from, to }, out);
    }
  });
  return out;
}

export function copyCacheRows(
  cache: ReferenceCache,
  from: Int32Array,
  to: Int32Array,
  lengths: Int32Array,
  source: ReferenceCache,
): void {
  from.forEach((row, i) => {
    const [start, target] = [row * source.capacity, (to[i] as number) * cache.capacity];
    for (let position = 0; position < (lengths[i] as number); position++) {
      cache.keys.row(target + position).set(source.keys.row(start + position));
      cache.values.row(target + position).set(source.values.row(start + position));
    }
  });
}
