import { axpy, dot, exp4, laneSum } from "./vector";

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

/** Attention of new tokens against their cache rows, the new tokens included. `scratch` holds `capacity` + 4 floats. */
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
        attendCachedRow(q + row, keys + base + head, values + base + head, kvRow, scratch, out + row, count, width, scale);
      }
    }
  }
}

@inline
function attendCachedRow(
  q: usize, keys: usize, values: usize, stride: i32, scores: usize, out: usize, count: i32, width: i32, scale: f32,
): void {
  let top: f32 = -f32.MAX_VALUE;
  for (let j = 0; j < count; j++) {
    const score = scale * dot(q, keys + j * stride, width);
    store<f32>(scores + (j << 2), score);
    top = max(top, score);
  }
  const wide = (count + 3) & ~3;
  for (let j = count; j < wide; j++) store<f32>(scores + (j << 2), -f32.MAX_VALUE);
  const t = f32x4.splat(top);
  let sum = f32x4.splat(0);
  for (let j = 0; j < wide; j += 4) {
    const e = exp4(f32x4.sub(v128.load(scores + (j << 2)), t));
    v128.store(scores + (j << 2), e);
    sum = f32x4.add(sum, e);
  }
  const inverse: f32 = 1 / laneSum(sum);
  memory.fill(out, 0, width << 2);
  for (let j = 0; j < count; j++) axpy(load<f32>(scores + (j << 2)) * inverse, values + j * stride, out, width);
}
