import {
  columnsTo, firstSegment, gatherHead, loadTile, maskBand, mixRows, scoreBand, spreadRows, transposePath,
} from "./attention-tiles";
import { dot, exp4 } from "./vector";

/**
 * Backward of `attention`, over the same pairs; dK and dV start as zeros, and add up over segments in their order.
 * P = exp(score - lse), dV_j += P dOut_i, dP = dOut_i . v_j, dS = P (dP - dOut_i . out_i) scale, dQ_i = sum dS k_j, dK_j += dS q_i.
 * `scratch` holds 2 * width * P + 8 * P + 8 * width + 4 floats, P being `longest`; with trees width * P more.
 */
export function attentionBackward(
  dOut: usize, q: usize, k: usize, v: usize, out: usize, logSumExp: usize, dQ: usize, dK: usize, dV: usize,
  offsets: usize, parents: usize, before: usize, trees: usize, longest: i32, first: i32, count: i32,
  queryHeads: i32, kvHeads: i32, width: i32, scale: f32, scratch: usize,
): void {
  const kvRow = (kvHeads * width) << 2;
  for (let pair = first; pair < first + count; pair++) {
    const kv = pair % kvHeads;
    const end = firstSegment(trees, pair / kvHeads + 1);
    for (let s = firstSegment(trees, pair / kvHeads); s < end; s++) {
      const start = load<i32>(offsets + (s << 2));
      const length = load<i32>(offsets + ((s + 1) << 2)) - start;
      const above = trees ? load<i32>(before + (s << 2)) : 0;
      const padded = trees ? longest : (length + 3) & ~3;
      const valuesT = scratch + ((width * padded) << 2);
      const head = start * kvRow + ((kv * width) << 2);
      let keys = k + head;
      let shares = valuesT + ((width * padded) << 2);
      transposePath(k + head, kvRow, scratch, above, length, padded, width);
      transposePath(v + head, kvRow, valuesT, above, length, padded, width);
      if (trees) {
        keys = shares;
        shares += (width * padded) << 2;
        gatherHead(k + head, kvRow, keys, above, length, width);
      }
      gradientRows(
        dOut, q, scratch, valuesT, keys, trees ? width << 2 : kvRow, out, logSumExp, dQ, dK, dV, offsets, before, parents,
        s, above, padded, kv, queryHeads, kvHeads, width, scale, shares,
      );
    }
  }
}

/** Gradients through the query heads of one key/value head and the rows of a segment; `before` is 0 if no segment continues another. */
function gradientRows(
  dOut: usize, q: usize, keysT: usize, valuesT: usize, keys: usize, keyRow: i32, out: usize, logSumExp: usize,
  dQ: usize, dK: usize, dV: usize, offsets: usize, before: usize, parents: usize, s: i32, above: i32, padded: i32,
  kv: i32, queryHeads: i32, kvHeads: i32, width: i32, scale: f32, shares: usize,
): void {
  const qRow = (queryHeads * width) << 2;
  const kvRow = (kvHeads * width) << 2;
  const group = queryHeads / kvHeads;
  const start = load<i32>(offsets + (s << 2));
  const length = load<i32>(offsets + ((s + 1) << 2)) - start;
  const dScores = shares + (padded << 4);
  const qTile = dScores + (padded << 4);
  const dTile = qTile + (width << 4);
  const ones = dTile + (width << 4);
  v128.store(ones, f32x4.splat(1));
  for (let h = kv * group; h < (kv + 1) * group; h++) {
    for (let i = 0; i < length; i += 4) {
      const row = (start + i) * qRow + ((h * width) << 2);
      const valid = min(4, length - i);
      const columns = columnsTo(above + i, above + length);
      const count = min(columns, above + length);
      loadTile(q + row, qRow, qTile, valid, width);
      loadTile(dOut + row, qRow, dTile, valid, width);
      scoreBand(qTile, keysT, padded, shares, padded, columns, width, scale);
      scoreBand(dTile, valuesT, padded, dScores, padded, columns, width, 1);
      maskBand(shares, padded, above + i, columns);
      for (let r = 0; r < 4; r++) {
        const line = (r * padded) << 2;
        // A missing row has no gradient: its tiles are zeros, so any finite share will do.
        const lse: f32 = r < valid ? load<f32>(logSumExp + (((start + i + r) * queryHeads + h) << 2)) : 0;
        const delta: f32 = r < valid ? dot(dTile + ((r * width) << 2), out + row + r * qRow, width) : 0;
        scoreGradient(shares + line, dScores + line, columns, lse, delta, scale);
      }
      mixRows(dScores, padded, keys, keyRow, count, ones, dQ + row, qRow, valid, width);
      for (let p = s; p >= 0; p = before ? load<i32>(parents + (p << 2)) : -1) {
        const from = load<i32>(offsets + (p << 2));
        const column = before ? load<i32>(before + (p << 2)) : 0;
        const rows = min(load<i32>(offsets + ((p + 1) << 2)) - from, count - column);
        const head = from * kvRow + ((kv * width) << 2);
        spreadRows(dScores + (column << 2), padded, qTile, dK + head, kvRow, rows, width);
        spreadRows(shares + (column << 2), padded, dTile, dV + head, kvRow, rows, width);
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
