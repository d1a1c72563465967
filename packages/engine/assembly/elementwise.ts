import { blockRows } from "./vector";

/** out = a + b; out may be a or b. */
export function add(a: usize, b: usize, out: usize, n: i32): void {
  let i = 0;
  for (; i + 4 <= n; i += 4) v128.store(out + (i << 2), f32x4.add(v128.load(a + (i << 2)), v128.load(b + (i << 2))));
  for (; i < n; i++) store<f32>(out + (i << 2), load<f32>(a + (i << 2)) + load<f32>(b + (i << 2)));
}

/** out = a * b; out may be a or b. */
export function multiply(a: usize, b: usize, out: usize, n: i32): void {
  let i = 0;
  for (; i + 4 <= n; i += 4) v128.store(out + (i << 2), f32x4.mul(v128.load(a + (i << 2)), v128.load(b + (i << 2))));
  for (; i < n; i++) store<f32>(out + (i << 2), load<f32>(a + (i << 2)) * load<f32>(b + (i << 2)));
}

/** out = x * factor; out may be x. */
export function scale(x: usize, factor: f32, out: usize, n: i32): void {
  const factors = f32x4.splat(factor);
  let i = 0;
  for (; i + 4 <= n; i += 4) v128.store(out + (i << 2), f32x4.mul(v128.load(x + (i << 2)), factors));
  for (; i < n; i++) store<f32>(out + (i << 2), load<f32>(x + (i << 2)) * factor);
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
