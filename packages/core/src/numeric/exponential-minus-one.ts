import { ln2High, ln2Low, twosIn } from "./powers-of-two.ts";

/** Of the least largest error on [0, ln 2 / 2] (Remez). */
const terms = [
  -3.33333333333331316428e-2, 1.58730158725481460165e-3, -7.93650757867487942473e-5, 4.00821782732936239552e-6,
  -2.01099218183624371326e-7,
] as const;
/** About 56 ln 2: below minus it the result is -1. */
const least = 38.816242;

/**
 * e to a power, less 1, below one unit in the last place off also near 0. `Math.expm1` may differ between JavaScript engines
 * and their versions; this is the same bits everywhere, and those of Node 20 (fdlibm 5.3, Sun Microsystems 1993).
 */
export function exponentialMinusOne(power: number): number {
  if (Number.isNaN(power)) return power;
  if (power > 709.782712893383973096) return Infinity;
  if (power < -least) return -1;
  if (Math.abs(power) < 2 ** -54) return power;
  const twos = twosIn(power);
  const high = power - twos * ln2High;
  const low = twos * ln2Low;
  const x = high - low;
  const lost = high - x - low;
  const halfX = 0.5 * x;
  const square = x * halfX;
  const r = 1 + square * terms.reduceRight((sum: number, term) => term + square * sum, 0);
  const t = 3 - r * halfX;
  const e = square * ((r - t) / (6 - x * t));
  if (twos === 0) return x - (x * e - square);
  const error = x * (e - lost) - lost - square;
  if (twos === -1) return 0.5 * (x - error) - 0.5;
  if (twos === 1) return x < -0.25 ? -2 * (error - (x + 0.5)) : 1 + 2 * (x - error);
  if (twos <= -2 || twos > 56) {
    const y = 1 - (error - x);
    return (twos === 1024 ? y * 2 * 2 ** 1023 : y * 2 ** twos) - 1;
  }
  if (twos < 20) return (1 - 2 ** -twos - (error - x)) * 2 ** twos;
  return (x - (error + 2 ** -twos) + 1) * 2 ** twos;
}
