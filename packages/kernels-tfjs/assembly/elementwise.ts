import { blockRows } from "./vector";

/** out = a + b; out may be a or b. */
export function add(a: usize, b: usize, out: usize, n: i32): void {
  let i = 0;
  for (; i + 4 <= n; i += 4) v128.store(out + (i << 2), f32x4.add(v128.load(a + (i << 2)), v128.load(b + (i << 2))));
  for (; i < n; i++) store<f32>(out + (i << 2), load<f32>(a + (i << 2)) + load<f32>(b + (i << 2)));
}

/** x[n, :] += bias, in place. */
export function addBias(x: usize, bias: usize, rows: i32, width: i32): void {
  for (let r = 0; r < rows; r++) add(x + ((r * width) << 2), bias, x + ((r * width) << 2), width);
}

/** out[d] = sum over rows of x[:, d], block by block; out starts as zeros, `block` is scratch of `width` floats. */
export function columnSums(x: usize, out: usize, rows: i32, width: i32, block: usize): void {
  for (let start = 0; start < rows; start += blockRows) {
    memory.fill(block, 0, width << 2);
    const end = min(start + blockRows, rows);
    for (let r = start; r < end; r++) add(block, x + ((r * width) << 2), block, width);
    add(out, block, out, width);
  }
}

/** Sum of squares; each block of 1,024 in float32, the blocks in float64. */
export function sumSquares(x: usize, n: i32): f64 {
  let total: f64 = 0;
  for (let start = 0; start < n; start += 1024) {
    const end = min(n, start + 1024);
    let sum = f32x4.splat(0);
    let i = start;
    for (; i + 4 <= end; i += 4) {
      const v = v128.load(x + (i << 2));
      sum = f32x4.add(sum, f32x4.mul(v, v));
    }
    let block = <f64>f32x4.extract_lane(sum, 0) + f32x4.extract_lane(sum, 1) + f32x4.extract_lane(sum, 2) + f32x4.extract_lane(sum, 3);
    for (; i < end; i++) block += <f64>load<f32>(x + (i << 2)) * load<f32>(x + (i << 2));
    total += block;
  }
  return total;
}

/** out[c, r] = x[r, c], in 4 x 4 tiles. */
export function transpose(x: usize, out: usize, rows: i32, columns: i32): void {
  const wide = columns & ~3;
  const tall = rows & ~3;
  for (let r = 0; r < tall; r += 4) {
    for (let c = 0; c < wide; c += 4) {
      const at = x + ((r * columns + c) << 2);
      const a = v128.load(at);
      const b = v128.load(at + (columns << 2));
      const d = v128.load(at + (columns << 3));
      const e = v128.load(at + columns * 12);
      const ab0 = v128.shuffle<f32>(a, b, 0, 4, 1, 5);
      const ab1 = v128.shuffle<f32>(a, b, 2, 6, 3, 7);
      const de0 = v128.shuffle<f32>(d, e, 0, 4, 1, 5);
      const de1 = v128.shuffle<f32>(d, e, 2, 6, 3, 7);
      const to = out + ((c * rows + r) << 2);
      v128.store(to, v128.shuffle<f32>(ab0, de0, 0, 1, 4, 5));
      v128.store(to + (rows << 2), v128.shuffle<f32>(ab0, de0, 2, 3, 6, 7));
      v128.store(to + (rows << 3), v128.shuffle<f32>(ab1, de1, 0, 1, 4, 5));
      v128.store(to + rows * 12, v128.shuffle<f32>(ab1, de1, 2, 3, 6, 7));
    }
  }
  for (let r = 0; r < rows; r++)
    for (let c = r < tall ? wide : 0; c < columns; c++)
      store<f32>(out + ((c * rows + r) << 2), load<f32>(x + ((r * columns + c) << 2)));
}
