import { transposeStrided } from "./transpose";
import { copyRow, madd } from "./vector";

// The products of attention, for four query rows at a time. A tile is [4, width], a band is [4, `band` floats]: four rows
// of scores or shares over the keys. Key columns go in whole vectors of four.

/** Copies up to four rows of a head into a tile; missing rows are zeros. */
export function loadTile(rows: usize, stride: i32, tile: usize, valid: i32, width: i32): void {
  const row = width << 2;
  for (let r = 0; r < valid; r++) copyRow(rows + r * stride, tile + r * row, width);
  if (valid < 4) memory.fill(tile + valid * row, 0, (4 - valid) * row);
}

/** The first segment of a tree; without trees, each sequence is one segment. */
@inline
export function firstSegment(trees: usize, index: i32): i32 {
  return trees ? load<i32>(trees + (index << 2)) : index;
}

/** keysT[d][j] = keys[j][d] behind `above` columns that are there already, of `longest` in all; the padding to 4 set to zero. */
export function transposePath(
  keys: usize, stride: i32, keysT: usize, above: i32, length: i32, longest: i32, width: i32,
): void {
  transposeStrided(keys, stride, keysT + (above << 2), longest << 2, length, width);
  const end = above + length;
  for (let d = 0; d < width; d++)
    for (let j = end; j < ((end + 3) & ~3); j++) store<f32>(keysT + ((d * longest + j) << 2), 0);
}

/** Rows of a head one behind the other, behind `above` that are there already. */
export function gatherHead(rows: usize, stride: i32, gathered: usize, above: i32, length: i32, width: i32): void {
  for (let j = 0; j < length; j++) copyRow(rows + j * stride, gathered + (((above + j) * width) << 2), width);
}

/**
 * Four rows from x on, `row` bytes apart and up to `end`, times eight columns from y on, whose rows lie `step` bytes apart; each row of the product times
 * its factor, which is `scale` where `factors` is 0. Stores the first `valid` rows, `line` bytes apart.
 */
@inline
function tileProduct(
  x: usize, row: i32, end: usize, y: usize, step: i32, to: usize, line: i32, scale: v128, factors: usize, valid: i32,
): void {
  let a0 = f32x4.splat(0);
  let a1 = f32x4.splat(0);
  let b0 = f32x4.splat(0);
  let b1 = f32x4.splat(0);
  let c0 = f32x4.splat(0);
  let c1 = f32x4.splat(0);
  let d0 = f32x4.splat(0);
  let d1 = f32x4.splat(0);
  for (; x < end; x += 4) {
    const y0 = v128.load(y);
    const y1 = v128.load(y, 16);
    const a = v128.load32_splat(x);
    a0 = madd(a, y0, a0);
    a1 = madd(a, y1, a1);
    const b = v128.load32_splat(x + row);
    b0 = madd(b, y0, b0);
    b1 = madd(b, y1, b1);
    const c = v128.load32_splat(x + 2 * row);
    c0 = madd(c, y0, c0);
    c1 = madd(c, y1, c1);
    const d = v128.load32_splat(x + 3 * row);
    d0 = madd(d, y0, d0);
    d1 = madd(d, y1, d1);
    y += step;
  }
  storeRow(to, a0, a1, factors ? v128.load32_splat(factors) : scale);
  if (valid > 1) storeRow(to + line, b0, b1, factors ? v128.load32_splat(factors, 4) : scale);
  if (valid > 2) storeRow(to + 2 * line, c0, c1, factors ? v128.load32_splat(factors, 8) : scale);
  if (valid > 3) storeRow(to + 3 * line, d0, d1, factors ? v128.load32_splat(factors, 12) : scale);
}

@inline
function storeRow(to: usize, low: v128, high: v128, factor: v128): void {
  v128.store(to, f32x4.mul(low, factor));
  v128.store(to, f32x4.mul(high, factor), 16);
}

/** band[r][j] = scale * tile[r] . key j for j < columns. */
export function scoreBand(
  tile: usize, keysT: usize, padded: i32, out: usize, band: i32, columns: i32, width: i32, scale: f32,
): void {
  const row = width << 2;
  const line = band << 2;
  const step = padded << 2;
  const s = f32x4.splat(scale);
  let j = 0;
  for (; j + 8 <= columns; j += 8)
    tileProduct(tile, row, tile + row, keysT + (j << 2), step, out + (j << 2), line, s, 0, 4);
  for (; j < columns; j += 4) {
    for (let r = 0; r < 4; r++) {
      let sum = f32x4.splat(0);
      let key = keysT + (j << 2);
      const end = tile + (r + 1) * row;
      for (let x = tile + r * row; x < end; x += 4) {
        sum = madd(v128.load32_splat(x), v128.load(key), sum);
        key += step;
      }
      v128.store(out + r * line + (j << 2), f32x4.mul(sum, s));
    }
  }
}

/** out[r] = factor[r] * sum over j < count of band[r][j] * rows[j], for the first `valid` of four rows. */
export function mixRows(
  weights: usize, band: i32, rows: usize, stride: i32, count: i32, factors: usize, out: usize, outStride: i32,
  valid: i32, width: i32,
): void {
  const line = band << 2;
  const end = weights + (count << 2);
  let d = 0;
  for (; d + 8 <= width; d += 8)
    tileProduct(weights, line, end, rows + (d << 2), stride, out + (d << 2), outStride, f32x4.splat(0), factors, valid);
  for (; d < width; d++) {
    for (let r = 0; r < valid; r++) {
      let sum: f32 = 0;
      for (let j = 0; j < count; j++) sum += load<f32>(weights + r * line + (j << 2)) * load<f32>(rows + j * stride + (d << 2));
      store<f32>(out + r * outStride + (d << 2), sum * load<f32>(factors + (r << 2)));
    }
  }
}

/** rows[j] += sum over the four r of band[r][j] * tile[r], for j < count. */
export function spreadRows(
  weights: usize, band: i32, tile: usize, rows: usize, stride: i32, count: i32, width: i32,
): void {
  const line = band << 2;
  const row = width << 2;
  let d = 0;
  for (; d + 4 <= width; d += 4) {
    const x = tile + (d << 2);
    const x0 = v128.load(x);
    const x1 = v128.load(x + row);
    const x2 = v128.load(x + 2 * row);
    const x3 = v128.load(x + 3 * row);
    let y = rows + (d << 2);
    const end = weights + (count << 2);
    for (let w = weights; w < end; w += 4) {
      const low = f32x4.add(f32x4.mul(v128.load32_splat(w), x0), f32x4.mul(v128.load32_splat(w + line), x1));
      const high = f32x4.add(f32x4.mul(v128.load32_splat(w + 2 * line), x2), f32x4.mul(v128.load32_splat(w + 3 * line), x3));
      v128.store(y, f32x4.add(v128.load(y), f32x4.add(low, high)));
      y += stride;
    }
  }
  for (; d < width; d++) {
    for (let j = 0; j < count; j++) {
      const at = rows + j * stride + (d << 2);
      let sum = load<f32>(at);
      for (let r = 0; r < 4; r++) sum += load<f32>(weights + r * line + (j << 2)) * load<f32>(tile + r * row + (d << 2));
      store<f32>(at, sum);
    }
  }
}

/** Sets what row r may not see, the keys behind first + r, to the least float. */
export function maskBand(scores: usize, band: i32, first: i32, columns: i32): void {
  for (let r = 0; r < 4; r++)
    for (let j = first + r + 1; j < columns; j++) store<f32>(scores + ((r * band + j) << 2), -f32.MAX_VALUE);
}

/** Whole vectors of four columns that hold what four rows from `first` on may see, of a path of `length`. */
export function columnsTo(first: i32, length: i32): i32 {
  return min((first + 7) & ~3, (length + 3) & ~3);
}
