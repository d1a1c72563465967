import { softmaxRow } from "./attention";
import { dot, laneSums, madd } from "./vector";

/**
 * Copies the new keys and values of each sequence to its pages. Cache layout: [page, position, kvHeads * width]; `table` has
 * `pageCount` pages of `pageSize` positions for each sequence.
 */
export function appendToCache(
  fresh: usize, cache: usize, offsets: usize, table: usize, past: usize, sequences: i32, pageCount: i32, pageSize: i32,
  rowWidth: i32,
): void {
  const bytes = rowWidth << 2;
  for (let s = 0; s < sequences; s++) {
    const pages = table + ((s * pageCount) << 2);
    const end = load<i32>(offsets + ((s + 1) << 2));
    let from = load<i32>(offsets + (s << 2));
    let position = load<i32>(past + (s << 2));
    while (from < end) {
      const within = position % pageSize;
      const count = min(pageSize - within, end - from);
      const to = load<i32>(pages + ((position / pageSize) << 2)) * pageSize + within;
      memory.copy(cache + to * bytes, fresh + from * bytes, count * bytes);
      from += count;
      position += count;
    }
  }
}

/** Attention of new tokens against their pages, the new tokens included. `scratch` holds pageCount * pageSize + 8 floats. */
export function attentionCached(
  q: usize, keys: usize, values: usize, out: usize, offsets: usize, table: usize, past: usize, sequences: i32,
  pageCount: i32, pageSize: i32, queryHeads: i32, kvHeads: i32, width: i32, scale: f32, scratch: usize,
): void {
  const qRow = (queryHeads * width) << 2;
  const kvRow = (kvHeads * width) << 2;
  const group = queryHeads / kvHeads;
  for (let s = 0; s < sequences; s++) {
    const start = load<i32>(offsets + (s << 2));
    const end = load<i32>(offsets + ((s + 1) << 2));
    const pages = table + ((s * pageCount) << 2);
    const held = load<i32>(past + (s << 2));
    for (let i = start; i < end; i++) {
      const count = held + (i - start) + 1;
      for (let h = 0; h < queryHeads; h++) {
        const head = ((h / group) * width) << 2;
        const row = i * qRow + ((h * width) << 2);
        const x = q + row;
        for (let first = 0; first < count; first += pageSize) {
          const page = keys + load<i32>(pages + ((first / pageSize) << 2)) * pageSize * kvRow + head;
          scoreRow(x, page, kvRow, scratch + (first << 2), min(pageSize, count - first), width, scale);
        }
        const columns = (count + 3) & ~3;
        for (let j = count; j < columns; j++) store<f32>(scratch + (j << 2), -f32.MAX_VALUE);
        const factor = scratch + (columns << 2);
        softmaxRow(scratch, columns, factor);
        mixRow(scratch, values + head, kvRow, pages, pageSize, count, load<f32>(factor), out + row, width);
      }
    }
  }
}

/** scores[j] = scale * q . keys[j], four keys at a time. */
function scoreRow(q: usize, keys: usize, stride: i32, scores: usize, count: i32, width: i32, scale: f32): void {
  const s = f32x4.splat(scale);
  const wide = width & ~3;
  let key = keys;
  let j = 0;
  for (; j + 4 <= count; j += 4) {
    let a = f32x4.splat(0);
    let b = f32x4.splat(0);
    let c = f32x4.splat(0);
    let d = f32x4.splat(0);
    for (let o = 0; o < wide << 2; o += 16) {
      const x = v128.load(q + o);
      const at = key + o;
      a = madd(x, v128.load(at), a);
      b = madd(x, v128.load(at + stride), b);
      c = madd(x, v128.load(at + 2 * stride), c);
      d = madd(x, v128.load(at + 3 * stride), d);
    }
    let sums = laneSums(a, b, c, d);
    for (let o = wide << 2; o < width << 2; o += 4) {
      const at = key + o;
      const column = f32x4(load<f32>(at), load<f32>(at + stride), load<f32>(at + 2 * stride), load<f32>(at + 3 * stride));
      sums = madd(v128.load32_splat(q + o), column, sums);
    }
    v128.store(scores + (j << 2), f32x4.mul(sums, s));
    key += 4 * stride;
  }
  for (; j < count; j++) {
    store<f32>(scores + (j << 2), scale * dot(q, key, width));
    key += stride;
  }
}

/** out = factor * sum over j of weights[j] * values[j], in the order of the positions whatever pages they lie in. */
function mixRow(
  weights: usize, values: usize, stride: i32, pages: usize, pageSize: i32, count: i32, factor: f32, out: usize, width: i32,
): void {
  const f = f32x4.splat(factor);
  let d = 0;
  for (; d + 16 <= width; d += 16) {
    let a0 = f32x4.splat(0);
    let a1 = f32x4.splat(0);
    let a2 = f32x4.splat(0);
    let a3 = f32x4.splat(0);
    for (let first = 0; first < count; first += pageSize) {
      let y = values + load<i32>(pages + ((first / pageSize) << 2)) * pageSize * stride + (d << 2);
      const end = weights + (min(first + pageSize, count) << 2);
      for (let w = weights + (first << 2); w < end; w += 4) {
        const p = v128.load32_splat(w);
        a0 = madd(p, v128.load(y), a0);
        a1 = madd(p, v128.load(y, 16), a1);
        a2 = madd(p, v128.load(y, 32), a2);
        a3 = madd(p, v128.load(y, 48), a3);
        y += stride;
      }
    }
    const to = out + (d << 2);
    v128.store(to, f32x4.mul(a0, f));
    v128.store(to, f32x4.mul(a1, f), 16);
    v128.store(to, f32x4.mul(a2, f), 32);
    v128.store(to, f32x4.mul(a3, f), 48);
  }
  for (; d + 4 <= width; d += 4) {
    let sum = f32x4.splat(0);
    for (let first = 0; first < count; first += pageSize) {
      let y = values + load<i32>(pages + ((first / pageSize) << 2)) * pageSize * stride + (d << 2);
      const end = weights + (min(first + pageSize, count) << 2);
      for (let w = weights + (first << 2); w < end; w += 4) {
        sum = madd(v128.load32_splat(w), v128.load(y), sum);
        y += stride;
      }
    }
    v128.store(out + (d << 2), f32x4.mul(sum, f));
  }
  for (; d < width; d++) {
    let sum: f32 = 0;
    for (let j = 0; j < count; j++) {
      const place = load<i32>(pages + ((j / pageSize) << 2)) * pageSize + (j % pageSize);
      sum += load<f32>(weights + (j << 2)) * load<f32>(values + place * stride + (d << 2));
    }
    store<f32>(out + (d << 2), sum * factor);
  }
}
