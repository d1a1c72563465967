import { ln2High, ln2Low, twosIn } from "./powers-of-two.ts";

/** Of the least largest error on [0, ln 2 / 2] (Remez). */
const terms = [
  1.66666666666666019037e-1, -2.77777777770155933842e-3, 6.61375632143793436117e-5, -1.6533902205465251539e-6,
  4.13813679705723846039e-8,
] as const;

/**
 * e to a power, below one unit in the last place off. `Math.exp` may differ between JavaScript engines and their versions;
 * this is the same bits everywhere, and those of Node 20 (fdlibm 5.3, Sun Microsystems 1993).
 */
export function exponential(power: number): number {
  if (Number.isNaN(power)) return power;
  if (power > 709.782712893383973096) return Infinity;
  if (power < -745.13321910194110842) return 0;
  if (power === 1) return Math.E;
  if (Math.abs(power) < 2 ** -28) return 1 + power;
  const twos = twosIn(power);
  const high = power - twos * ln2High;
  const low = twos * ln2Low;
  const x = high - low;
  const t = x * x;
  const c = x - t * terms.reduceRight((sum: number, term) => term + t * sum, 0);
  if (twos === 0) return 1 - ((x * c) / (c - 2) - x);
  const y = 1 - (low - (x * c) / (2 - c) - high);
  // 2^1024 is no number, and below 2^-1021 the result is rounded once.
  if (twos === 1024) return y * 2 * 2 ** 1023;
  return twos >= -1021 ? y * 2 ** twos : y * 2 ** (twos + 1000) * 2 ** -1000;
}
