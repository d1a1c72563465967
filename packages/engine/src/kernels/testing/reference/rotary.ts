import { zerosLike, type Matrix } from "./matrix.ts";

/**
 * Rotates element i of each head against element i + headDim / 2 by the angle of the row's position (Su et al. 2021,
 * halves as in Hugging Face). `direction` -1 is the inverse and the gradient.
 */
export function rotary(
  x: Matrix,
  cos: Matrix,
  sin: Matrix,
  positions: Int32Array,
  heads: number,
  direction: 1 | -1,
): Matrix {
  const half = cos.columns;
  const out = zerosLike(x);
  positions.forEach((position, n) => {
    for (let h = 0; h < heads; h++)
      for (let i = 0; i < half; i++) {
        const [first, second] = [h * 2 * half + i, h * 2 * half + half + i];
        const [c, s] = [cos.at(position, i), direction * sin.at(position, i)];
        out.set(n, first, x.at(n, first) * c - x.at(n, second) * s);
        out.set(n, second, x.at(n, second) * c + x.at(n, first) * s);
      }
  });
  return out;
}
