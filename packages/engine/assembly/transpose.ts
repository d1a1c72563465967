/** out[c, r] = x[r, c], in matrices whose rows lie `from` and `to` bytes apart; in 4 x 4 tiles. */
export function transposeStrided(x: usize, from: i32, out: usize, to: i32, rows: i32, columns: i32): void {
  const wide = columns & ~3;
  const tall = rows & ~3;
  for (let r = 0; r < tall; r += 4) {
    for (let c = 0; c < wide; c += 4) {
      const at = x + r * from + (c << 2);
      const a = v128.load(at);
      const b = v128.load(at + from);
      const d = v128.load(at + 2 * from);
      const e = v128.load(at + 3 * from);
      const ab0 = v128.shuffle<f32>(a, b, 0, 4, 1, 5);
      const ab1 = v128.shuffle<f32>(a, b, 2, 6, 3, 7);
      const de0 = v128.shuffle<f32>(d, e, 0, 4, 1, 5);
      const de1 = v128.shuffle<f32>(d, e, 2, 6, 3, 7);
      const put = out + c * to + (r << 2);
      v128.store(put, v128.shuffle<f32>(ab0, de0, 0, 1, 4, 5));
      v128.store(put + to, v128.shuffle<f32>(ab0, de0, 2, 3, 6, 7));
      v128.store(put + 2 * to, v128.shuffle<f32>(ab1, de1, 0, 1, 4, 5));
      v128.store(put + 3 * to, v128.shuffle<f32>(ab1, de1, 2, 3, 6, 7));
    }
  }
  for (let r = 0; r < rows; r++)
    for (let c = r < tall ? wide : 0; c < columns; c++)
      store<f32>(out + c * to + (r << 2), load<f32>(x + r * from + (c << 2)));
}
