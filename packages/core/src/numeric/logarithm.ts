import { ln2High, ln2Low } from "./powers-of-two.ts";

/** Of the least largest error (Remez), even powers and odd ones. */
const even = [3.999999999940941908e-1, 2.222219843214978396e-1, 1.531383769920937332e-1] as const;
const odd = [
  6.66666666666673513e-1, 2.857142874366239149e-1, 1.818357216161805012e-1, 1.479819860511658591e-1,
] as const;

const word = new DataView(new ArrayBuffer(8));

/**
 * Natural logarithm, below one unit in the last place off. `Math.log` may differ between JavaScript engines and their
 * versions; this is the same bits everywhere, and those of Node 20 (fdlibm 5.3, Sun Microsystems 1993).
 */
export function logarithm(value: number): number {
  if (!(value > 0)) return value === 0 ? -Infinity : NaN;
  if (value === Infinity) return Infinity;
  const subnormal = value < 2 ** -1022;
  word.setFloat64(0, subnormal ? value * 2 ** 54 : value);
  const bits = word.getInt32(0);
  const fraction = bits & 0xfffff;
  // The significand goes to [sqrt(1/2), sqrt(2)).
  const halved = (fraction + 0x95f64) & 0x100000;
  word.setInt32(0, fraction | (halved ^ 0x3ff00000));
  const twos = (bits >> 20) - 1023 + (halved >> 20) - (subnormal ? 54 : 0);
  const f = word.getFloat64(0) - 1;
  if ((0xfffff & (2 + fraction)) < 3) {
    if (f === 0) return twos === 0 ? 0 : twos * ln2High + twos * ln2Low;
    const rest = f * f * (0.5 - 0.3333333333333333 * f);
    return twos === 0 ? f - rest : twos * ln2High - (rest - twos * ln2Low - f);
  }
  const s = f / (2 + f);
  const z = s * s;
  const w = z * z;
  const first = w * (even[0] + w * (even[1] + w * even[2]));
  const second = z * (odd[0] + w * (odd[1] + w * (odd[2] + w * odd[3])));
  const rest = second + first;
  if (((fraction - 0x6147a) | (0x6b851 - fraction)) > 0) {
    const square = 0.5 * f * f;
    if (twos === 0) return f - (square - s * (square + rest));
    return twos * ln2High - (square - (s * (square + rest) + twos * ln2Low) - f);
  }
  if (twos === 0) return f - s * (f - rest);
  return twos * ln2High - (s * (f - rest) - twos * ln2Low - f);
}
