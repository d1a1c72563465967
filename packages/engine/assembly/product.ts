import { add } from "./elementwise";
import { transposeStrided } from "./transpose";
import { blockRows, copyRow, madd } from "./vector";

// Dense products of a left matrix with right panels. A panel holds eight columns of the right matrix, [depth, 8], zeros
// where there are none; a block of the left matrix is packed into strips of a few rows, [depth, rows of the strip].
// Every element is a sum over the depth from first to last, whatever the rows, columns and blocks around it: a row does
// not depend on its neighbours.

/** Columns of a panel: two vectors. */
const wide: i32 = 8;
/** Most rows of a strip: what 16 registers hold next to two vectors of columns and, unless it is fused, a product. Measured. */
const tall: i32 = ASC_FEATURE_RELAXED_SIMD ? 6 : 5;
/** Rows of the left matrix that `product` packs at once, and how deep: 120 KiB. A tile of that depth waits little for its sums. */
const blockHeight: i32 = 60;
const blockDepth: i32 = 512;
/** Rows that `transposedProduct` packs at once, `blockRows` deep. */
const transposedHeight: i32 = 120;
/** Max floats of panels that strips share in the second cache. */
const panelGroup: i32 = 1 << 14;
/** With no more rows than these a block is as deep as the scratch allows: panels are read once, and from end to end. */
const few: i32 = 20;

/** A tile starts from zero. */
const fresh: i32 = 0;
/** A tile continues the sums in `out`. */
const continued: i32 = 1;
/** A tile starts from zero and is added to `out`. */
const added: i32 = 2;

/** Panels of the transpose of x [rows, depth], for x's rows as columns. `out` holds depth * rows floats, rows rounded up to 8. */
export function packTransposed(x: usize, out: usize, rows: i32, depth: i32): void {
  const row = depth << 2;
  for (let r = 0; r < rows; r += wide) {
    const valid = min(wide, rows - r);
    if (valid < wide) memory.fill(out, 0, row * wide);
    transposeStrided(x + r * row, row, out, wide << 2, valid, depth);
    out += row * wide;
  }
}

/** Panels of x [depth, columns], whose rows lie `row` bytes apart. `out` holds depth * columns floats, columns rounded up to 8. */
export function packColumns(x: usize, row: i32, out: usize, depth: i32, columns: i32): void {
  for (let c = 0; c < columns; c += wide) {
    const valid = min(wide, columns - c);
    if (valid < wide) memory.fill(out, 0, (depth * wide) << 2);
    let from = x + (c << 2);
    for (let k = 0; k < depth; k++) {
      copyRow(from, out, valid);
      from += row;
      out += wide << 2;
    }
  }
}

/**
 * out [rows, columns] = left [rows, depth] times panels of [depth, columns]; goes on with the sums in `out` unless `first`.
 * The rows of `left` lie `leftRow` bytes apart, those of `out` `outRow`. `scratch` holds 60 * 512 + 64 floats.
 */
export function product(
  left: usize, leftRow: i32, panels: usize, out: usize, outRow: i32, rows: i32, depth: i32, columns: i32, first: i32,
  scratch: usize,
): void {
  for (let r = 0; r < rows; r += blockHeight) {
    const height = min(blockHeight, rows - r);
    const deep = height <= few ? (blockHeight * blockDepth) / height : blockDepth;
    for (let k = 0; k < depth; k += deep) {
      const count = min(deep, depth - k);
      const from = left + r * leftRow + (k << 2);
      const strips = stripsOf(height);
      for (let s = 0; s < strips; s++) {
        const top = stripStart(s, height, strips);
        const n = stripStart(s + 1, height, strips) - top;
        transposeStrided(from + top * leftRow, leftRow, scratch + ((top * count) << 2), n << 2, n, count);
      }
      const mode = k == 0 && first ? fresh : continued;
      block(scratch, height, panels + k * (wide << 2), depth, count, out + r * outRow, outRow, columns, mode);
    }
  }
}

/**
 * out [rows, columns] = left^T, of left [depth, rows], times panels of [depth, columns]; adds to `out` unless `first`.
 * Goes by blocks of depth, each summed apart: float32 errors grow with the length of a sum.
 * The rows of `left` lie `leftRow` bytes apart. `scratch` holds 60 * 512 + 64 floats.
 */
export function transposedProduct(
  left: usize, leftRow: i32, panels: usize, out: usize, rows: i32, depth: i32, columns: i32, first: i32, scratch: usize,
): void {
  for (let r = 0; r < rows; r += transposedHeight) {
    const height = min(transposedHeight, rows - r);
    const to = out + ((r * columns) << 2);
    if (first) memory.fill(to, 0, (height * columns) << 2);
    for (let k = 0; k < depth; k += blockRows) {
      const count = min(blockRows, depth - k);
      const strips = stripsOf(height);
      let put = scratch;
      for (let s = 0; s < strips; s++) {
        const top = stripStart(s, height, strips);
        const n = stripStart(s + 1, height, strips) - top;
        let from = left + k * leftRow + ((r + top) << 2);
        for (let i = 0; i < count; i++) {
          copyRow(from, put, n);
          from += leftRow;
          put += n << 2;
        }
      }
      block(scratch, height, panels + k * (wide << 2), depth, count, to, columns << 2, columns, added);
    }
  }
}

@inline
function stripsOf(height: i32): i32 {
  return (height + tall - 1) / tall;
}

/** Strips are as even as can be: six rows are twice three. */
@inline
function stripStart(strip: i32, height: i32, strips: i32): i32 {
  return (strip * height) / strips;
}

/** One packed block of the left matrix times all panels; `depth` is that of the panels, `count` that of the block. */
function block(
  left: usize, height: i32, panels: usize, depth: i32, count: i32, out: usize, row: i32, columns: i32, mode: i32,
): void {
  const strips = stripsOf(height);
  const line = wide << 2;
  const panel = depth * line;
  // Behind the block lies room for one tile.
  const apart = left + ((height * count) << 2);
  const group = height <= few ? wide : max(wide, (panelGroup / count) & ~(wide - 1));
  for (let start = 0; start < columns; start += group) {
    const end = min(start + group, columns);
    let next = 0;
    for (let s = 0; s < strips; s++) {
      const top = next;
      next = stripStart(s + 1, height, strips);
      const n = next - top;
      const a = left + ((top * count) << 2);
      let b = panels;
      for (let c = start; c < end; c += wide) {
        const valid = columns - c;
        const to = out + top * row + (c << 2);
        if (valid >= wide && mode != added) tile(n, a, b, to, row, count, mode);
        else {
          const width = min(wide, valid);
          if (mode == continued) for (let r = 0; r < n; r++) copyRow(to + r * row, apart + r * line, width);
          tile(n, a, b, apart, line, count, mode);
          if (mode == added) for (let r = 0; r < n; r++) add(to + r * row, apart + r * line, to + r * row, width);
          else for (let r = 0; r < n; r++) copyRow(apart + r * line, to + r * row, width);
        }
        b += panel;
      }
    }
    panels += (group / wide) * panel;
  }
}

function tile(rows: i32, a: usize, b: usize, out: usize, row: i32, count: i32, mode: i32): void {
  if (ASC_FEATURE_RELAXED_SIMD && rows == 6) tileOf(6, a, b, out, row, count, mode);
  else if (rows == 5) tileOf(5, a, b, out, row, count, mode);
  else if (rows == 4) tileOf(4, a, b, out, row, count, mode);
  else if (rows == 3) tileOf(3, a, b, out, row, count, mode);
  else if (rows == 2) tileOf(2, a, b, out, row, count, mode);
  else tileOf(1, a, b, out, row, count, mode);
}

/**
 * `rows` is a constant, so that what it rules out is not compiled. Adding to `out` after the loop would halve the speed
 * in V8, which then keeps fewer sums in registers.
 */
@inline
function tileOf(rows: i32, a: usize, b: usize, out: usize, row: i32, count: i32, mode: i32): void {
  let s00 = f32x4.splat(0);
  let s01 = f32x4.splat(0);
  let s10 = f32x4.splat(0);
  let s11 = f32x4.splat(0);
  let s20 = f32x4.splat(0);
  let s21 = f32x4.splat(0);
  let s30 = f32x4.splat(0);
  let s31 = f32x4.splat(0);
  let s40 = f32x4.splat(0);
  let s41 = f32x4.splat(0);
  let s50 = f32x4.splat(0);
  let s51 = f32x4.splat(0);
  if (mode == continued) {
    s00 = v128.load(out);
    s01 = v128.load(out, 16);
    if (rows > 1) {
      s10 = v128.load(out + row);
      s11 = v128.load(out + row, 16);
    }
    if (rows > 2) {
      s20 = v128.load(out + 2 * row);
      s21 = v128.load(out + 2 * row, 16);
    }
    if (rows > 3) {
      s30 = v128.load(out + 3 * row);
      s31 = v128.load(out + 3 * row, 16);
    }
    if (rows > 4) {
      s40 = v128.load(out + 4 * row);
      s41 = v128.load(out + 4 * row, 16);
    }
    if (rows > 5) {
      s50 = v128.load(out + 5 * row);
      s51 = v128.load(out + 5 * row, 16);
    }
  }
  for (let n = count; n > 0; n--) {
    const b0 = v128.load(b);
    const b1 = v128.load(b, 16);
    const a0 = v128.load32_splat(a);
    s00 = madd(a0, b0, s00);
    s01 = madd(a0, b1, s01);
    if (rows > 1) {
      const a1 = v128.load32_splat(a, 4);
      s10 = madd(a1, b0, s10);
      s11 = madd(a1, b1, s11);
    }
    if (rows > 2) {
      const a2 = v128.load32_splat(a, 8);
      s20 = madd(a2, b0, s20);
      s21 = madd(a2, b1, s21);
    }
    if (rows > 3) {
      const a3 = v128.load32_splat(a, 12);
      s30 = madd(a3, b0, s30);
      s31 = madd(a3, b1, s31);
    }
    if (rows > 4) {
      const a4 = v128.load32_splat(a, 16);
      s40 = madd(a4, b0, s40);
      s41 = madd(a4, b1, s41);
    }
    if (rows > 5) {
      const a5 = v128.load32_splat(a, 20);
      s50 = madd(a5, b0, s50);
      s51 = madd(a5, b1, s51);
    }
    a += rows << 2;
    b += wide << 2;
  }
  v128.store(out, s00);
  v128.store(out, s01, 16);
  if (rows > 1) {
    v128.store(out + row, s10);
    v128.store(out + row, s11, 16);
  }
  if (rows > 2) {
    v128.store(out + 2 * row, s20);
    v128.store(out + 2 * row, s21, 16);
  }
  if (rows > 3) {
    v128.store(out + 3 * row, s30);
    v128.store(out + 3 * row, s31, 16);
  }
  if (rows > 4) {
    v128.store(out + 4 * row, s40);
    v128.store(out + 4 * row, s41, 16);
  }
  if (rows > 5) {
    v128.store(out + 5 * row, s50);
    v128.store(out + 5 * row, s51, 16);
  }
}
