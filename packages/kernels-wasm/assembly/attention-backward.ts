import { loadTile, maskBand, mixRows, scoreBand, spreadRows, transposeHead } from "./attention-tiles";
import { dot, exp4 } from "./vector";

/**
 * Backward of `attention`; dK and dV start as zeros.
 * P = exp(score - lse), dV_j += P dOut_i, dP = dOut_i . v_j, dS = P (dP - dOut_i . out_i) scale, dQ_i = sum dS k_j, dK_j += dS q_i.
 * `scratch` holds 2 * width * P + 8 * P + 8 * width + 4 floats, P being the longest length rounded up to 4.
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
    const padded = (length + 3) & ~3;
    const valuesT = scratch + ((width * padded) << 2);
    const shares = valuesT + ((width * padded) << 2);
    const dScores = shares + (padded << 4);
    const qTile = dScores + (padded << 4);
    const dTile = qTile + (width << 4);
    const ones = dTile + (width << 4);
    v128.store(ones, f32x4.splat(1));
    for (let kv = 0; kv < kvHeads; kv++) {
      const head = start * kvRow + ((kv * width) << 2);
      transposeHead(k + head, kvRow, scratch, length, padded, width);
      transposeHead(v + head, kvRow, valuesT, length, padded, width);
      for (let h = kv * group; h < (kv + 1) * group; h++) {
        for (let i = 0; i < length; i += 4) {
          const row = (start + i) * qRow + ((h * width) << 2);
          const valid = min(4, length - i);
          const columns = i + 4;
          const count = min(columns, length);
          loadTile(q + row, qRow, qTile, valid, width);
          loadTile(dOut + row, qRow, dTile, valid, width);
          scoreBand(qTile, scratch, padded, shares, padded, columns, width, scale);
          scoreBand(dTile, valuesT, padded, dScores, padded, columns, width, 1);
          maskBand(shares, padded, i);
          for (let r = 0; r < 4; r++) {
            const line = (r * padded) << 2;
            // A missing row has no gradient: its tiles are zeros, so any finite share will do.
            const lse: f32 = r < valid ? load<f32>(logSumExp + (((start + i + r) * queryHeads + h) << 2)) : 0;
            const delta: f32 = r < valid ? dot(dTile + ((r * width) << 2), out + row + r * qRow, width) : 0;
            scoreGradient(shares + line, dScores + line, columns, lse, delta, scale);
          }
          mixRows(dScores, padded, k + head, kvRow, count, ones, dQ + row, qRow, valid, width);
          spreadRows(dScores, padded, qTile, dK + head, kvRow, count, width);
          spreadRows(shares, padded, dTile, dV + head, kvRow, count, width);
        }
      }
    }
  }
}

/** Scores become shares P = exp(score - lse); dP becomes dS = P (dP - delta) scale. */
function scoreGradient(scores: usize, dScores: usize, columns: i32, lse: f32, delta: f32, scale: f32): void {
  const l = f32x4.splat(lse);
  const d = f32x4.splat(delta);
  const s = f32x4.splat(scale);
  for (let j = 0; j < columns; j += 4) {
    const at = j << 2;
    const p = exp4(f32x4.sub(v128.load(scores + at), l));
    v128.store(scores + at, p);
    v128.store(dScores + at, f32x4.mul(f32x4.mul(p, s), f32x4.sub(v128.load(dScores + at), d)));
  }
}
