/** ln 2 in two pieces; the first has 21 zeros at its end. */
const [ln2High, ln2Low] = [6.9314718036912381649e-1, 1.90821492927058770002e-10];
/** Of the least largest error on [0, ln 2 / 2] (Remez). */
const terms = [
  1.66666666666666019037e-1, -2.77777777770155933842e-3, 6.61375632143793436117e-5, -1.6533902205465251539e-6,
  4.13813679705723846039e-8,
] as const;
/** About half and one and a half of ln 2. */
const [half, oneAndHalf] = [(1 + 0x62e43 / 2 ** 20) / 4, 1 + 0x0a2b2 / 2 ** 20];

/**
 * e to a power, below one unit in the last place off. `Math.exp` may differ between JavaScript engines and their versions;
 * this is the same bits everywhere, and those of Node 20 (fdlibm 5.3, Sun Microsystems 1993).
 */
export function exponential(power: number): number {
  if (Number.isNaN(power)) return power;
  if (power > 709.782712893383973096) return Infinity;
  if (power < -745.13321910194110842) return 0;
  if (power === 1) return Math.E;
  const size = Math.abs(power);
  if (size < 2 ** -28) return 1 + power;
  const sign = power < 0 ? -1 : 1;
  const twos = size < half ? 0 : size < oneAndHalf ? sign : Math.trunc(Math.LOG2E * power + 0.5 * sign);
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
