/** Rotates the halves of each head against each other by the angle of its position; sign -1 rotates back. */
export function rotary(
  x: usize, cos: usize, sin: usize, positions: usize, out: usize, rows: i32, heads: i32, half: i32, sign: f32,
): void {
  const s = f32x4.splat(sign);
  for (let r = 0; r < rows; r++) {
    const at = (load<i32>(positions + (r << 2)) * half) << 2;
    for (let h = 0; h < heads; h++) {
      const offset = ((r * heads + h) * half) << 3;
      const a = x + offset;
      const b = a + (half << 2);
      const toA = out + offset;
      const toB = toA + (half << 2);
      let i = 0;
      for (; i + 4 <= half; i += 4) {
        const c = v128.load(cos + at + (i << 2));
        const n = f32x4.mul(s, v128.load(sin + at + (i << 2)));
        const va = v128.load(a + (i << 2));
        const vb = v128.load(b + (i << 2));
        v128.store(toA + (i << 2), f32x4.sub(f32x4.mul(va, c), f32x4.mul(vb, n)));
        v128.store(toB + (i << 2), f32x4.add(f32x4.mul(vb, c), f32x4.mul(va, n)));
      }
      for (; i < half; i++) {
        const c = load<f32>(cos + at + (i << 2));
        const n = sign * load<f32>(sin + at + (i << 2));
        const va = load<f32>(a + (i << 2));
        const vb = load<f32>(b + (i << 2));
        store<f32>(toA + (i << 2), va * c - vb * n);
        store<f32>(toB + (i << 2), vb * c + va * n);
      }
    }
  }
}
