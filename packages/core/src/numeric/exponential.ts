/** Minimax polynomial on [0, ln 2 / 2] (Remez). */
const exponentialTerms = [
  1.66666666666666019037e-1, -2.77777777770155933842e-3, 6.61375632143793436117e-5, -1.6533902205465251539e-6,
  4.13813679705723846039e-8,
] as const;

/** e^power, error below 1 ulp, with the bits of Node 20 on every engine (fdlibm 5.3, Sun Microsystems 1993). */
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
  const c = x - t * exponentialTerms.reduceRight((sum: number, term) => term + t * sum, 0);
  if (twos === 0) return 1 - ((x * c) / (c - 2) - x);
  const y = 1 - (low - (x * c) / (2 - c) - high);
  // 2^1024 overflows, and below 2^-1021 the result is rounded once.
  if (twos === 1024) return y * 2 * 2 ** 1023;
  return twos >= -1021 ? y * 2 ** twos : y * 2 ** (twos + 1000) * 2 ** -1000;
}

/** ln 2 in two pieces; this one ends in 21 zero bits. */
const ln2High = 6.9314718036912381649e-1;
const ln2Low = 1.90821492927058770002e-10;

/** About 0.5 ln 2 and 1.5 ln 2. */
const [half, oneAndHalf] = [(1 + 0x62e43 / 2 ** 20) / 4, 1 + 0x0a2b2 / 2 ** 20];

function twosIn(power: number): number {
  const [size, sign] = [Math.abs(power), power < 0 ? -1 : 1];
  if (size < half) return 0;
  return size < oneAndHalf ? sign : Math.trunc(Math.LOG2E * power + 0.5 * sign);
}

/** Minimax polynomial on [0, ln 2 / 2] (Remez). */
const minusOneTerms = [
  -3.33333333333331316428e-2, 1.58730158725481460165e-3, -7.93650757867487942473e-5, 4.00821782732936239552e-6,
  -2.01099218183624371326e-7,
] as const;
/** About 56 ln 2; the result is -1 below its negative. */
const least = 38.816242;

/** e^power - 1, also exact near 0; like {@link exponential}. */
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
  const r = 1 + square * minusOneTerms.reduceRight((sum: number, term) => term + square * sum, 0);
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

/** Minimax polynomials (Remez) of even and odd powers. */
const even = [3.999999999940941908e-1, 2.222219843214978396e-1, 1.531383769920937332e-1] as const;
const odd = [
  6.66666666666673513e-1, 2.857142874366239149e-1, 1.818357216161805012e-1, 1.479819860511658591e-1,
] as const;

const word = new DataView(new ArrayBuffer(8));

/** Natural logarithm, like {@link exponential}. */
export function logarithm(value: number): number {
  if (!(value > 0)) return value === 0 ? -Infinity : NaN;
  if (value === Infinity) return Infinity;
  const subnormal = value < 2 ** -1022;
  word.setFloat64(0, subnormal ? value * 2 ** 54 : value);
  const bits = word.getInt32(0);
  const fraction = bits & 0xfffff;
  // moves the significand to [sqrt(1/2), sqrt(2))
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
