import { softmaxRow } from "./attention";
import { dot, laneSums, madd } from "./vector";

/** Copies the new keys and values of each sequence behind what its cache row holds. Cache layout: [row, position, kvHeads * width]. */
export function appendToCache(
  fresh: usize, cache: usize, offsets: usize, rows: usize, past: usize, sequences: i32, capacity: i32, rowWidth: i32,
): void {
  const bytes = rowWidth << 2;
  for (let s = 0; s < sequences; s++) {
    const start = load<i32>(offsets + (s << 2));
    const length = load<i32>(offsets + ((s + 1) << 2)) - start;
    const to = cache + (load<i32>(rows + (s << 2)) * capacity + load<i32>(past + (s << 2))) * bytes;
    memory.copy(to, fresh + start * bytes, length * bytes);
  }
}

/** Attention of new tokens against their cache rows, the new tokens included. `scratch` holds capacity + 8 floats. */
export function attentionCached(
  q: usize, keys: usize, values: usize, out: usize, offsets: usize, rows: usize, past: usize, sequences: i32,
  capacity: i32, queryHeads: i32, kvHeads: i32, width: i32, scale: f32, scratch: usize,
): void {
  const qRow = (queryHeads * width) << 2;
  const kvRow = (kvHeads * width) << 2;
  const group = queryHeads / kvHeads;
  for (let s = 0; s < sequences; s++) {
    const start = load<i32>(offsets + (s << 2));
    const end = load<i32>(offsets + ((s + 1) << 2));
    const base = load<i32>(rows + (s << 2)) * capacity * kvRow;
    const held = load<i32>(past + (s << 2));
    for (let i = start; i < end; i++) {
      const count = held + (i - start) + 1;
      for (let h = 0; h < queryHeads; h++) {
        const head = ((h / group) * width) << 2;
        const row = i * qRow + ((h * width) << 2);
        attendRow(q + row, keys + base + head, values + base + head, kvRow, scratch, out + row, count, width, scale);
      }
    }
  }
}

/** One query row against `count` keys that lie `stride` bytes apart. */
function attendRow(
  q: usize, keys: usize, values: usize, stride: i32, scores: usize, out: usize, count: i32, width: i32, scale: f32,
): void {
  scoreRow(q, keys, stride, scores, count, width, scale);
  const columns = (count + 3) & ~3;
  for (let j = count; j < columns; j++) store<f32>(scores + (j << 2), -f32.MAX_VALUE);
  const factor = scores + (columns << 2);
  softmaxRow(scores, columns, factor);
  mixRow(scores, values, stride, count, load<f32>(factor), out, width);
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

/** out = factor * sum over j of weights[j] * values[j]. */
function mixRow(weights: usize, values: usize, stride: i32, count: i32, factor: f32, out: usize, width: i32): void {
  const f = f32x4.splat(factor);
  const end = weights + (count << 2);
  let d = 0;
  for (; d + 16 <= width; d += 16) {
    let a0 = f32x4.splat(0);
    let a1 = f32x4.splat(0);
    let a2 = f32x4.splat(0);
    let a3 = f32x4.splat(0);
    let y = values + (d << 2);
    for (let w = weights; w < end; w += 4) {
      const p = v128.load32_splat(w);
      a0 = madd(p, v128.load(y), a0);
      a1 = madd(p, v128.load(y, 16), a1);
      a2 = madd(p, v128.load(y, 32), a2);
      a3 = madd(p, v128.load(y, 48), a3);
      y += stride;
    }
    const to = out + (d << 2);
    v128.store(to, f32x4.mul(a0, f));
    v128.store(to, f32x4.mul(a1, f), 16);
    v128.store(to, f32x4.mul(a2, f), 32);
    v128.store(to, f32x4.mul(a3, f), 48);
  }
  for (; d + 4 <= width; d += 4) {
    let sum = f32x4.splat(0);
    let y = values + (d << 2);
    for (let w = weights; w < end; w += 4) {
      sum = madd(v128.load32_splat(w), v128.load(y), sum);
      y += stride;
    }
    v128.store(out + (d << 2), f32x4.mul(sum, f));
  }
  for (; d < width; d++) {
    let sum: f32 = 0;
    for (let j = 0; j < count; j++) sum += load<f32>(weights + (j << 2)) * load<f32>(values + j * stride + (d << 2));
    store<f32>(out + (d << 2), sum * factor);
  }
}
