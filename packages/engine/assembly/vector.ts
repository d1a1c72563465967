/** Long sums over rows go through partial sums of this many rows: float32 errors grow with the length of a sum. */
export const blockRows: i32 = 256;

/** x * y + sum: rounded twice, the same bits on every machine; fused, and rounded once, in the build for it. */
@inline
export function madd(x: v128, y: v128, sum: v128): v128 {
  return ASC_FEATURE_RELAXED_SIMD ? f32x4.relaxed_madd(x, y, sum) : f32x4.add(sum, f32x4.mul(x, y));
}

/** Sum of the four lanes, in a fixed order. */
@inline
export function laneSum(v: v128): f32 {
  return f32x4.extract_lane(v, 0) + f32x4.extract_lane(v, 1) + (f32x4.extract_lane(v, 2) + f32x4.extract_lane(v, 3));
}

/**
 * exp of four floats, each at most 88: 2^n * p(r) with r in [-ln2/2, ln2/2] and p of degree 6, fitted for the smallest
 * largest relative error. Relative error at most 1.2e-7.
 * 0 below -64 (NaN stays NaN): such a share is lost in any softmax, and its products would be subnormal, which cost
 * a hundred cycles each.
 */
@inline
export function exp4(x: v128): v128 {
  // Adding 1.5 * 2^23 rounds to a whole number and leaves it in the low bits.
  const shifted = f32x4.add(f32x4.mul(x, f32x4.splat(1.4426950408889634)), f32x4.splat(12582912));
  const n = f32x4.sub(shifted, f32x4.splat(12582912));
  // ln 2 in two parts, the first short enough for n times it to be exact.
  let r = f32x4.sub(x, f32x4.mul(n, f32x4.splat(0.693359375)));
  r = f32x4.sub(r, f32x4.mul(n, f32x4.splat(-2.12194440e-4)));
  let p = f32x4.splat(0.0013843607157468796);
  p = f32x4.add(f32x4.mul(p, r), f32x4.splat(0.008374195545911789));
  p = f32x4.add(f32x4.mul(p, r), f32x4.splat(0.04166800528764725));
  p = f32x4.add(f32x4.mul(p, r), f32x4.splat(0.16666430234909058));
  p = f32x4.add(f32x4.mul(p, r), f32x4.splat(0.4999999403953552));
  p = f32x4.add(f32x4.mul(p, r), f32x4.splat(1));
  p = f32x4.add(f32x4.mul(p, r), f32x4.splat(1));
  // p lies in [0.7, 1.5], so integer addition puts n into its exponent.
  const scaled = i32x4.add(p, i32x4.shl(shifted, 23));
  return v128.andnot(scaled, f32x4.lt(x, f32x4.splat(-64)));
}

@inline
export function exp1(x: f32): f32 {
  return f32x4.extract_lane(exp4(f32x4.splat(x)), 0);
}

/** The four sums of the lanes of a, b, c and d. */
@inline
export function laneSums(a: v128, b: v128, c: v128, d: v128): v128 {
  const ab = f32x4.add(v128.shuffle<f32>(a, b, 0, 4, 1, 5), v128.shuffle<f32>(a, b, 2, 6, 3, 7));
  const cd = f32x4.add(v128.shuffle<f32>(c, d, 0, 4, 1, 5), v128.shuffle<f32>(c, d, 2, 6, 3, 7));
  return f32x4.add(v128.shuffle<f32>(ab, cd, 0, 1, 4, 5), v128.shuffle<f32>(ab, cd, 2, 3, 6, 7));
}

/** a . b over n floats. */
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
@inline
export function axpy(scale: f32, x: usize, y: usize, n: i32): void {
  const s = f32x4.splat(scale);
  let i = 0;
  for (; i + 4 <= n; i += 4)
    v128.store(y + (i << 2), f32x4.add(v128.load(y + (i << 2)), f32x4.mul(s, v128.load(x + (i << 2)))));
  for (; i < n; i++) store<f32>(y + (i << 2), load<f32>(y + (i << 2)) + scale * load<f32>(x + (i << 2)));
}

/** Copies n floats; for short rows, where the bulk instruction costs more than the copy. */
@inline
export function copyRow(from: usize, to: usize, n: i32): void {
  let i = 0;
  for (; i + 4 <= n; i += 4) v128.store(to + (i << 2), v128.load(from + (i << 2)));
  for (; i < n; i++) store<f32>(to + (i << 2), load<f32>(from + (i << 2)));
}

/**
 * Natural logarithm of a normal positive number: x = 2^n * m with m in [0.7, 1.42) and the series of
 * atanh((m - 1) / (m + 1)), cut where the rest is below 1e-13. The usual tables would need static memory.
 */
export function log(x: f64): f64 {
  const bits = reinterpret<i64>(x);
  // Moves the cut between exponents from 1 to sqrt(1/2).
  const n = (bits - 0x3fe6a09e667f3bcd) >> 52;
  const m = reinterpret<f64>(bits - (n << 52));
  const s = (m - 1) / (m + 1);
  const z = s * s;
  const series =
    1 + z * (1.0 / 3 + z * (1.0 / 5 + z * (1.0 / 7 + z * (1.0 / 9 + z * (1.0 / 11 + z * (1.0 / 13 + z * (1.0 / 15)))))));
  // The last term keeps a NaN.
  return <f64>n * 0.6931471805599453 + 2 * s * series + 0 * x;
}
