import { exp4 } from "./vector";

/** 1 / (1 + exp(-x)); at least 1.6e-28, so that no product of it is subnormal. */
@inline
function sigmoid4(x: v128): v128 {
  const one = f32x4.splat(1);
  return f32x4.div(one, f32x4.add(one, exp4(f32x4.pmin(f32x4.neg(x), f32x4.splat(64)))));
}

@inline
function sigmoid1(x: f32): f32 {
  return f32x4.extract_lane(sigmoid4(f32x4.splat(x)), 0);
}

/** x * (slope + cubic * x * x). */
@inline
function bend4(x: v128, slope: f32, cubic: f32): v128 {
  return f32x4.mul(x, f32x4.add(f32x4.splat(slope), f32x4.mul(f32x4.splat(cubic), f32x4.mul(x, x))));
}

@inline
function bend1(x: f32, slope: f32, cubic: f32): f32 {
  return x * (slope + cubic * (x * x));
}

/** out = gate * sigmoid(bend(gate)) * up. */
export function swiGlu(gate: usize, up: usize, out: usize, n: i32, slope: f32, cubic: f32): void {
  let i = 0;
  for (; i + 4 <= n; i += 4) {
    const g = v128.load(gate + (i << 2));
    const s = sigmoid4(bend4(g, slope, cubic));
    v128.store(out + (i << 2), f32x4.mul(f32x4.mul(g, s), v128.load(up + (i << 2))));
  }
  for (; i < n; i++) {
    const g = load<f32>(gate + (i << 2));
    store<f32>(out + (i << 2), g * sigmoid1(bend1(g, slope, cubic)) * load<f32>(up + (i << 2)));
  }
}

/** dUp = dOut * gate * sigmoid; dGate = dOut * up * sigmoid * (1 + gate * bend'(gate) * (1 - sigmoid)). */
export function swiGluBackward(
  dOut: usize,
  gate: usize,
  up: usize,
  dGate: usize,
  dUp: usize,
  n: i32,
  slope: f32,
  cubic: f32,
): void {
  const one = f32x4.splat(1);
  let i = 0;
  for (; i + 4 <= n; i += 4) {
    const g = v128.load(gate + (i << 2));
    const d = v128.load(dOut + (i << 2));
    const s = sigmoid4(bend4(g, slope, cubic));
    v128.store(dUp + (i << 2), f32x4.mul(d, f32x4.mul(g, s)));
    const steep = f32x4.mul(s, f32x4.add(one, f32x4.mul(bend4(g, slope, 3 * cubic), f32x4.sub(one, s))));
    v128.store(dGate + (i << 2), f32x4.mul(f32x4.mul(d, v128.load(up + (i << 2))), steep));
  }
  for (; i < n; i++) {
    const g = load<f32>(gate + (i << 2));
    const d = load<f32>(dOut + (i << 2));
    const s = sigmoid1(bend1(g, slope, cubic));
    store<f32>(dUp + (i << 2), d * g * s);
    store<f32>(dGate + (i << 2), d * load<f32>(up + (i << 2)) * s * (1 + bend1(g, slope, 3 * cubic) * (1 - s)));
  }
}
