import { dot, exp4, laneSum, log } from "./vector";

/**
 * Causal attention over packed sequences, one (sequence, head) at a time.
 * `scratch` holds (width of a head + 1) * (longest rounded up to 4) floats: the keys transposed, then one row of scores.
 */
export function attention(
  q: usize, k: usize, v: usize, out: usize, logSumExp: usize, offsets: usize, sequences: i32,
  queryHeads: i32, kvHeads: i32, width: i32, scale: f32, scratch: usize,
): void {
  const qRow = (queryHeads * width) << 2;
  const kvRow = (kvHeads * width) << 2;
  const group = queryHeads / kvHeads;
  for (let s = 0; s < sequences; s++) {
    const start = load<i32>(offsets + (s << 2));
    const length = load<i32>(offsets + ((s + 1) << 2)) - start;
    if (length == 0) continue;
    const padded = (length + 3) & ~3;
    const scores = scratch + ((width * padded) << 2);
    for (let kv = 0; kv < kvHeads; kv++) {
      const keys = k + start * kvRow + ((kv * width) << 2);
      const values = v + start * kvRow + ((kv * width) << 2);
      transposeHead(keys, kvRow, scratch, length, padded, width);
      for (let h = kv * group; h < (kv + 1) * group; h++) {
        for (let i = 0; i < length; i++) {
          const row = (start + i) * qRow + ((h * width) << 2);
          const lse = attendRow(q + row, scratch, padded, values, kvRow, scores, out + row, i + 1, width, scale);
          store<f32>(logSumExp + (((start + i) * queryHeads + h) << 2), lse);
        }
      }
    }
  }
}

/** keysT[d][j] = keys[j][d], the padding set to zero. */
export function transposeHead(keys: usize, stride: i32, keysT: usize, length: i32, padded: i32, width: i32): void {
  for (let d = 0; d < width; d++) {
    const to = keysT + ((d * padded) << 2);
    for (let j = 0; j < length; j++) store<f32>(to + (j << 2), load<f32>(keys + j * stride + (d << 2)));
    for (let j = length; j < padded; j++) store<f32>(to + (j << 2), 0);
  }
}

/** One query against the first `count` keys: writes the output row, returns log sum exp of the scaled scores. */
@inline
export function attendRow(
  q: usize, keysT: usize, padded: i32, values: usize, stride: i32, scores: usize, out: usize,
  count: i32, width: i32, scale: f32,
): f32 {
  scoreRow(q, keysT, padded, scores, count, width, scale);
  let top: f32 = -f32.MAX_VALUE;
  for (let j = 0; j < count; j++) top = max(top, load<f32>(scores + (j << 2)));
  const wide = (count + 3) & ~3;
  for (let j = count; j < wide; j++) store<f32>(scores + (j << 2), -f32.MAX_VALUE);
  const t = f32x4.splat(top);
  let sum = f32x4.splat(0);
  for (let j = 0; j < wide; j += 4) {
    const e = exp4(f32x4.sub(v128.load(scores + (j << 2)), t));
    v128.store(scores + (j << 2), e);
    sum = f32x4.add(sum, e);
  }
  const total = laneSum(sum);
  const inverse: f32 = 1 / total;
  let d = 0;
  for (; d + 8 <= width; d += 8) {
    let a = f32x4.splat(0);
    let b = f32x4.splat(0);
    for (let j = 0; j < count; j++) {
      const p = v128.load32_splat(scores + (j << 2));
      const at = values + j * stride + (d << 2);
      a = f32x4.add(a, f32x4.mul(p, v128.load(at)));
      b = f32x4.add(b, f32x4.mul(p, v128.load(at + 16)));
    }
    const s = f32x4.splat(inverse);
    v128.store(out + (d << 2), f32x4.mul(a, s));
    v128.store(out + (d << 2) + 16, f32x4.mul(b, s));
  }
  for (; d < width; d++) {
    let a: f32 = 0;
    for (let j = 0; j < count; j++) a += load<f32>(scores + (j << 2)) * load<f32>(values + j * stride + (d << 2));
    store<f32>(out + (d << 2), a * inverse);
  }
  return top + <f32>log(<f64>total);
}

/** scores[j] = scale * q . key_j for j < count, eight keys at a time. */
@inline
function scoreRow(q: usize, keysT: usize, padded: i32, scores: usize, count: i32, width: i32, scale: f32): void {
  const s = f32x4.splat(scale);
  let j = 0;
  for (; j + 4 < count; j += 8) {
    let a = f32x4.splat(0);
    let b = f32x4.splat(0);
    const second = j + 8 <= padded ? 16 : 0;
    for (let d = 0; d < width; d++) {
      const x = v128.load32_splat(q + (d << 2));
      const at = keysT + ((d * padded + j) << 2);
      a = f32x4.add(a, f32x4.mul(x, v128.load(at)));
      b = f32x4.add(b, f32x4.mul(x, v128.load(at + second)));
    }
    v128.store(scores + (j << 2), f32x4.mul(a, s));
    if (second) v128.store(scores + (j << 2) + 16, f32x4.mul(b, s));
  }
  for (; j < count; j += 4) {
    let a = f32x4.splat(0);
    for (let d = 0; d < width; d++)
      a = f32x4.add(a, f32x4.mul(v128.load32_splat(q + (d << 2)), v128.load(keysT + ((d * padded + j) << 2))));
    v128.store(scores + (j << 2), f32x4.mul(a, s));
  }
}

/**
 * Backward of `attention`; dK and dV start as zeros.
 * P = exp(score - lse), dV_j += P dOut_i, dP = dOut_i . v_j, dS = P (dP - dOut_i . out_i) scale, dQ_i += dS k_j, dK_j += dS q_i.
 * `scratch` holds (2 * width + 2) * (longest rounded up to 4) floats.
 */
export function attentionBackward(
  dOut: usize, q: usize, k: usize, v: usize, out: usize, logSumExp: usize, dQ: usize, dK: usize, dV: usize,
  offsets: usize, sequences: i32, queryHeads: i32, kvHeads: i32, width: i32, scale: f32, scratch: usize,
): void {
  const qRow = (queryHeads * width) << 2;
  const kvRow = (kvHeads * width) << 2;
  const group = queryHeads / kvHeads;
  for (let s = 0; s < sequences; s++) {
    const start = load<i32>(offsets + (s << 2));
    const length = load<i32>(offsets + ((s + 1) << 2)) - start;
    if (length == 0) continue;
    const padded = (length + 3) & ~3;
    const valuesT = scratch + ((width * padded) << 2);
    const scores = valuesT + ((width * padded) << 2);
    const dScores = scores + (padded << 2);
    for (let kv = 0; kv < kvHeads; kv++) {
      const head = start * kvRow + ((kv * width) << 2);
      transposeHead(k + head, kvRow, scratch, length, padded, width);
      transposeHead(v + head, kvRow, valuesT, length, padded, width);
      for (let h = kv * group; h < (kv + 1) * group; h++) {
        for (let i = 0; i < length; i++) {
          const row = (start + i) * qRow + ((h * width) << 2);
          const count = i + 1;
          const lse = f32x4.splat(load<f32>(logSumExp + (((start + i) * queryHeads + h) << 2)));
          const delta = f32x4.splat(dot(dOut + row, out + row, width));
          scoreRow(q + row, scratch, padded, scores, count, width, scale);
          scoreRow(dOut + row, valuesT, padded, dScores, count, width, 1);
          const factor = f32x4.splat(scale);
          for (let j = 0; j < count; j += 4) {
            const at = j << 2;
            const p = exp4(f32x4.sub(v128.load(scores + at), lse));
            v128.store(scores + at, p);
            const dS = f32x4.mul(f32x4.mul(p, f32x4.sub(v128.load(dScores + at), delta)), factor);
            v128.store(dScores + at, dS);
          }
          spread(scores, dScores, count, k + head, dK + head, dV + head, kvRow, q + row, dOut + row, dQ + row, width);
        }
      }
    }
  }
}

/** dV_j += P_j dOut, dK_j += dS_j q, dQ = sum_j dS_j k_j. */
@inline
function spread(
  scores: usize, dScores: usize, count: i32, k: usize, dK: usize, dV: usize, stride: i32,
  q: usize, dOut: usize, dQ: usize, width: i32,
): void {
  let d = 0;
  for (; d + 4 <= width; d += 4) {
    const o = d << 2;
    const qv = v128.load(q + o);
    const dv = v128.load(dOut + o);
    let sum = f32x4.splat(0);
    let at: usize = o;
    for (let j = 0; j < count; j++) {
      const p = v128.load32_splat(scores + (j << 2));
      const ds = v128.load32_splat(dScores + (j << 2));
      sum = f32x4.add(sum, f32x4.mul(ds, v128.load(k + at)));
      v128.store(dV + at, f32x4.add(v128.load(dV + at), f32x4.mul(p, dv)));
      v128.store(dK + at, f32x4.add(v128.load(dK + at), f32x4.mul(ds, qv)));
      at += stride;
    }
    v128.store(dQ + o, sum);
  }
  for (; d < width; d++) {
    const o = d << 2;
    let sum: f32 = 0;
    for (let j = 0; j < count; j++) {
      const at = j * stride + o;
      const ds = load<f32>(dScores + (j << 2));
      sum += ds * load<f32>(k + at);
      store<f32>(dV + at, load<f32>(dV + at) + load<f32>(scores + (j << 2)) * load<f32>(dOut + o));
      store<f32>(dK + at, load<f32>(dK + at) + ds * load<f32>(q + o));
    }
    store<f32>(dQ + o, sum);
  }
}
