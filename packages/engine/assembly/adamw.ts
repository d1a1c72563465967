/**
 * One AdamW step: decay, moments, bias-corrected update. Writes the new parameter to `out`.
 * The complements 1 - beta come from the host, where they are exact: 1 - 0.999 in float32 is 5e-5 off.
 */
export function adamW(
  param: usize, grad: usize, first: usize, second: usize, out: usize, n: i32,
  keep: f32, stepSize: f32, beta1: f32, rest1: f32, beta2: f32, rest2: f32, epsilon: f32, rootCorrection2: f32, gradScale: f32,
): void {
  const k = f32x4.splat(keep);
  const lr = f32x4.splat(stepSize);
  const b1 = f32x4.splat(beta1);
  const c1 = f32x4.splat(rest1);
  const b2 = f32x4.splat(beta2);
  const c2 = f32x4.splat(rest2);
  const eps = f32x4.splat(epsilon);
  const root = f32x4.splat(rootCorrection2);
  const scale = f32x4.splat(gradScale);
  let i = 0;
  for (; i + 4 <= n; i += 4) {
    const o = i << 2;
    const g = f32x4.mul(v128.load(grad + o), scale);
    const m = f32x4.add(f32x4.mul(b1, v128.load(first + o)), f32x4.mul(c1, g));
    const v = f32x4.add(f32x4.mul(b2, v128.load(second + o)), f32x4.mul(c2, f32x4.mul(g, g)));
    v128.store(first + o, m);
    v128.store(second + o, v);
    const denominator = f32x4.add(f32x4.div(f32x4.sqrt(v), root), eps);
    v128.store(out + o, f32x4.sub(f32x4.mul(k, v128.load(param + o)), f32x4.div(f32x4.mul(lr, m), denominator)));
  }
  for (; i < n; i++) {
    const o = i << 2;
    const g = load<f32>(grad + o) * gradScale;
    const m = beta1 * load<f32>(first + o) + rest1 * g;
    const v = beta2 * load<f32>(second + o) + rest2 * g * g;
    store<f32>(first + o, m);
    store<f32>(second + o, v);
    store<f32>(out + o, keep * load<f32>(param + o) - (stepSize * m) / (sqrt<f32>(v) / rootCorrection2 + epsilon));
  }
}
