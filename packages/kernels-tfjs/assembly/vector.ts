/** Sum of the four lanes, in a fixed order. */
// @ts-ignore: decorator
@inline
export function laneSum(v: v128): f32 {
  return f32x4.extract_lane(v, 0) + f32x4.extract_lane(v, 1) + (f32x4.extract_lane(v, 2) + f32x4.extract_lane(v, 3));
}

/**
 * exp of four floats: 2^n * p(r) with r in [-ln2/2, ln2/2] and a degree-6 polynomial.
 * Relative error below 2e-7; inputs are clamped to [-87, 88].
 */
// @ts-ignore: decorator
@inline
export function exp4(x: v128): v128 {
  const clamped = f32x4.min(f32x4.max(x, f32x4.splat(-87)), f32x4.splat(88));
  const n = f32x4.nearest(f32x4.mul(clamped, f32x4.splat(1.4426950408889634)));
  let r = f32x4.sub(clamped, f32x4.mul(n, f32x4.splat(0.693359375)));
  r = f32x4.sub(r, f32x4.mul(n, f32x4.splat(-2.12194440e-4)));
  let p = f32x4.splat(1.9875691500e-4);
  p = f32x4.add(f32x4.mul(p, r), f32x4.splat(1.3981999507e-3));
  p = f32x4.add(f32x4.mul(p, r), f32x4.splat(8.3334519073e-3));
  p = f32x4.add(f32x4.mul(p, r), f32x4.splat(4.1665795894e-2));
  p = f32x4.add(f32x4.mul(p, r), f32x4.splat(1.6666665459e-1));
  p = f32x4.add(f32x4.mul(p, r), f32x4.splat(5.0000001201e-1));
  p = f32x4.add(f32x4.add(f32x4.mul(f32x4.mul(p, r), r), r), f32x4.splat(1));
  const power = i32x4.shl(i32x4.add(i32x4.trunc_sat_f32x4_s(n), i32x4.splat(127)), 23);
  return f32x4.mul(p, power);
}

// @ts-ignore: decorator
@inline
export function exp1(x: f32): f32 {
  return f32x4.extract_lane(exp4(f32x4.splat(x)), 0);
}

/** a . b over n floats. */
// @ts-ignore: decorator
@inline
export function dot(a: usize, b: usize, n: i32): f32 {
  let sum = f32x4.splat(0);
  let i = 0;
  for (; i + 4 <= n; i += 4) sum = f32x4.add(sum, f32x4.mul(v128.load(a + (i << 2)), v128.load(b + (i << 2))));
  let total = laneSum(sum);
  for (; i < n; i++) total += load<f32>(a + (i << 2)) * load<f32>(b + (i << 2));
  return total;
}

/** y += scale * x over n floats. */
// @ts-ignore: decorator
@inline
export function axpy(scale: f32, x: usize, y: usize, n: i32): void {
  const s = f32x4.splat(scale);
  let i = 0;
  for (; i + 4 <= n; i += 4)
    v128.store(y + (i << 2), f32x4.add(v128.load(y + (i << 2)), f32x4.mul(s, v128.load(x + (i << 2)))));
  for (; i < n; i++) store<f32>(y + (i << 2), load<f32>(y + (i << 2)) + scale * load<f32>(x + (i << 2)));
}

/** The host's natural logarithm: a table of our own would need static memory, which belongs to TensorFlow.js. */
// @ts-ignore: decorator
@external("env", "log")
export declare function log(x: f64): f64;
