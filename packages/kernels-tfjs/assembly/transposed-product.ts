import { blockRows } from "./vector";

/**
 * out[o, i] = sum over rows n of a[n, o] * b[n, i]: a^T b without a transposed copy; out starts as zeros.
 * Goes by blocks of rows that fit the cache.
 */
export function transposedProduct(a: usize, b: usize, out: usize, rows: i32, outer: i32, inner: i32): void {
  const aRow = outer << 2;
  const bRow = inner << 2;
  for (let start = 0; start < rows; start += blockRows) {
    const count = min(blockRows, rows - start);
    const aBlock = a + start * aRow;
    const bBlock = b + start * bRow;
    let i = 0;
    for (; i + 8 <= inner; i += 8) {
      const column = i << 2;
      let o = 0;
      for (; o + 4 <= outer; o += 4)
        tile4x8(aBlock + (o << 2), aRow, bBlock + column, bRow, out + o * bRow + column, count);
      for (; o < outer; o++) tile1x8(aBlock + (o << 2), aRow, bBlock + column, bRow, out + o * bRow + column, count);
    }
    for (; i + 4 <= inner; i += 4)
      for (let o = 0; o < outer; o++)
        tile1x4(aBlock + (o << 2), aRow, bBlock + (i << 2), bRow, out + o * bRow + (i << 2), count);
    for (; i < inner; i++)
      for (let o = 0; o < outer; o++)
        tile1x1(aBlock + (o << 2), aRow, bBlock + (i << 2), bRow, out + o * bRow + (i << 2), count);
  }
}

function tile4x8(a: usize, aRow: i32, b: usize, bRow: i32, out: usize, count: i32): void {
  let s00 = f32x4.splat(0);
  let s01 = f32x4.splat(0);
  let s10 = f32x4.splat(0);
  let s11 = f32x4.splat(0);
  let s20 = f32x4.splat(0);
  let s21 = f32x4.splat(0);
  let s30 = f32x4.splat(0);
  let s31 = f32x4.splat(0);
  for (let n = 0; n < count; n++) {
    const b0 = v128.load(b);
    const b1 = v128.load(b, 16);
    const a0 = v128.load32_splat(a);
    s00 = f32x4.add(s00, f32x4.mul(a0, b0));
    s01 = f32x4.add(s01, f32x4.mul(a0, b1));
    const a1 = v128.load32_splat(a, 4);
    s10 = f32x4.add(s10, f32x4.mul(a1, b0));
    s11 = f32x4.add(s11, f32x4.mul(a1, b1));
    const a2 = v128.load32_splat(a, 8);
    s20 = f32x4.add(s20, f32x4.mul(a2, b0));
    s21 = f32x4.add(s21, f32x4.mul(a2, b1));
    const a3 = v128.load32_splat(a, 12);
    s30 = f32x4.add(s30, f32x4.mul(a3, b0));
    s31 = f32x4.add(s31, f32x4.mul(a3, b1));
    a += aRow;
    b += bRow;
  }
  addTo(out, s00, s01);
  addTo(out + bRow, s10, s11);
  addTo(out + 2 * bRow, s20, s21);
  addTo(out + 3 * bRow, s30, s31);
}

function tile1x8(a: usize, aRow: i32, b: usize, bRow: i32, out: usize, count: i32): void {
  let s0 = f32x4.splat(0);
  let s1 = f32x4.splat(0);
  for (let n = 0; n < count; n++) {
    const x = v128.load32_splat(a);
    s0 = f32x4.add(s0, f32x4.mul(x, v128.load(b)));
    s1 = f32x4.add(s1, f32x4.mul(x, v128.load(b, 16)));
    a += aRow;
    b += bRow;
  }
  addTo(out, s0, s1);
}

function tile1x4(a: usize, aRow: i32, b: usize, bRow: i32, out: usize, count: i32): void {
  let sum = f32x4.splat(0);
  for (let n = 0; n < count; n++) {
    sum = f32x4.add(sum, f32x4.mul(v128.load32_splat(a), v128.load(b)));
    a += aRow;
    b += bRow;
  }
  v128.store(out, f32x4.add(v128.load(out), sum));
}

function tile1x1(a: usize, aRow: i32, b: usize, bRow: i32, out: usize, count: i32): void {
  let sum: f32 = 0;
  for (let n = 0; n < count; n++) {
    sum += load<f32>(a) * load<f32>(b);
    a += aRow;
    b += bRow;
  }
  store<f32>(out, load<f32>(out) + sum);
}

@inline
function addTo(out: usize, low: v128, high: v128): void {
  v128.store(out, f32x4.add(v128.load(out), low));
  v128.store(out, f32x4.add(v128.load(out, 16), high), 16);
}
