import {
  columnsTo, firstSegment, gatherHead, loadTile, maskBand, mixRows, scoreBand, transposePath,
} from "./attention-tiles";
import { exp4, laneSum, log } from "./vector";

/**
 * Causal attention over packed sequences, four query rows at a time: `count` pairs of a sequence and a key/value head from
 * the pair `first` on, which is head first % kvHeads of sequence first / kvHeads.
 * Where segments continue others, pairs have a tree in place of a sequence. Scratch has the keys and values of a path, a column and a row of
 * it for each position: depth first, those of a segment's ancestors are still there when its turn comes.
 * @param before - rows of the ancestors of each segment; 0 without trees
 * @param trees - the first segment of each tree, and behind the last their number; 0 without trees
 * @param longest - rows of the longest sequence or path, rounded up to 4
 * `scratch` holds width * P + 4 * P + 4 * width + 4 floats, P being `longest`; with trees width * P more.
 */
export function attention(
  q: usize, k: usize, v: usize, out: usize, logSumExp: usize, offsets: usize, before: usize, trees: usize, longest: i32,
  first: i32, count: i32, queryHeads: i32, kvHeads: i32, width: i32, scale: f32, scratch: usize,
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
      const head = start * kvRow + ((kv * width) << 2);
      let values = v + head;
      let band = scratch + ((width * padded) << 2);
      transposePath(k + head, kvRow, scratch, above, length, padded, width);
      if (trees) {
        values = band;
        band += (width * padded) << 2;
        gatherHead(v + head, kvRow, values, above, length, width);
      }
      attendRows(
        q, scratch, values, trees ? width << 2 : kvRow, out, logSumExp, start, length, above, padded, kv, queryHeads,
        kvHeads, width, scale, band,
      );
    }
  }
}

/** The query heads of one key/value head, over rows that lie behind `above` others on their path. */
function attendRows(
  q: usize, keysT: usize, values: usize, valueRow: i32, out: usize, logSumExp: usize, start: i32, length: i32,
  above: i32, padded: i32, kv: i32, queryHeads: i32, kvHeads: i32, width: i32, scale: f32, band: usize,
): void {
  const qRow = (queryHeads * width) << 2;
  const group = queryHeads / kvHeads;
  const tile = band + (padded << 4);
  const factors = tile + (width << 4);
  for (let h = kv * group; h < (kv + 1) * group; h++) {
    for (let i = 0; i < length; i += 4) {
      const row = (start + i) * qRow + ((h * width) << 2);
      const valid = min(4, length - i);
      const columns = columnsTo(above + i, above + length);
      loadTile(q + row, qRow, tile, valid, width);
      scoreBand(tile, keysT, padded, band, padded, columns, width, scale);
      maskBand(band, padded, above + i, columns);
      for (let r = 0; r < valid; r++) {
        const lse = softmaxRow(band + ((r * padded) << 2), columns, factors + (r << 2));
        store<f32>(logSumExp + (((start + i + r) * queryHeads + h) << 2), lse);
      }
      mixRows(band, padded, values, valueRow, min(columns, above + length), factors, out + row, qRow, valid, width);
    }
  }
}

/** Turns scores into exp(score - largest), stores 1 / their sum at `factor` and returns log sum exp of the scores. */
export function softmaxRow(scores: usize, columns: i32, factor: usize): f32 {
  let t = f32x4.splat(-f32.MAX_VALUE);
  for (let j = 0; j < columns; j += 4) t = f32x4.pmax(t, v128.load(scores + (j << 2)));
  const top = max(max(f32x4.extract_lane(t, 0), f32x4.extract_lane(t, 1)), max(f32x4.extract_lane(t, 2), f32x4.extract_lane(t, 3)));
  t = f32x4.splat(top);
  let sum = f32x4.splat(0);
  for (let j = 0; j < columns; j += 4) {
    const e = exp4(f32x4.sub(v128.load(scores + (j << 2)), t));
    v128.store(scores + (j << 2), e);
    sum = f32x4.add(sum, e);
  }
  const total = laneSum(sum);
  store<f32>(factor, 1 / total);
  return top + <f32>log(<f64>total);
}
