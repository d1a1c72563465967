import { inputError } from "../errors.ts";

/** Max angle; the reduction loses bits above it. */
const largest = 2 ** 19 * Math.PI;

/**
 * Cosine of radians, error below 1 ulp, with the bits of Node 20 on every engine (fdlibm 5.3, Sun Microsystems 1993).
 * @throws LaconicError `input_invalid` above 2^19 pi
 */
export function cosine(angle: number): number {
  const { quarter, rest, low } = reduce(Math.abs(angle));
  if (quarter === 0) return kernelCosine(rest, low);
  if (quarter === 1) return -kernelSine(rest, low);
  return quarter === 2 ? -kernelCosine(rest, low) : kernelSine(rest, low);
}

/** Sine, like {@link cosine}. */
export function sine(angle: number): number {
  const { quarter, rest, low } = reduce(Math.abs(angle));
  const value = quarter % 2 === 0 ? kernelSine(rest, low) : kernelCosine(rest, low);
  return quarter >= 2 === (angle < 0 || Object.is(angle, -0)) ? value : -value;
}

interface Reduced {
  /** Quarter turns, modulo 4. */
  readonly quarter: number;
  /** Remainder in [-pi/4, pi/4]: `rest` + `low`. */
  readonly rest: number;
  readonly low: number;
}

/** pi/2 in pieces of 33 bits, each with its remainder (Cody and Waite 1980). */
const halfPi = [
  [1.57079632673412561417, 6.0771005065061922e-11],
  [6.0771005063039659766e-11, 2.0222662487959506e-21],
  [2.0222662487111664558e-21, 8.4784276603688996e-32],
] as const;

/** Bits that may cancel before the next piece is needed. */
const cancelled = [16, 49, Infinity] as const;

function reduce(angle: number): Reduced {
  if (angle <= Math.PI / 4) return { quarter: 0, rest: angle, low: 0 };
  if (!(angle <= largest)) throw inputError(`expected an angle of at most 2^19 pi, got ${angle}`, { angle });
  const quarters = Math.floor((angle * 2) / Math.PI + 0.5);
  let left = angle;
  let rest = 0;
  let correction = 0;
  for (const [i, [piece, remainder]] of halfPi.entries()) {
    const before = left;
    const taken = quarters * piece;
    left = before - taken;
    // the first difference is exact
    correction = quarters * remainder - (i === 0 ? 0 : before - left - taken);
    rest = left - correction;
    if (exponentOf(angle) - exponentOf(rest) <= cancelled[i]!) break;
  }
  return { quarter: quarters % 4, rest, low: left - rest - correction };
}

const word = new DataView(new ArrayBuffer(8));

function exponentOf(value: number): number {
  word.setFloat64(0, value);
  return (word.getInt32(0) >> 20) & 0x7ff;
}

/** Minimax polynomials on [-pi/4, pi/4], highest power last. */
const cosineTerms = [
  4.16666666666666019037e-2, -1.38888888888741095749e-3, 2.48015872894767294178e-5, -2.75573143513906633035e-7,
  2.0875723212981748279e-9, -1.13596475577881948265e-11,
] as const;
const sineTerms = [
  8.33333333332248946124e-3, -1.98412698298579493134e-4, 2.75573137070700676789e-6, -2.50507602534068634195e-8,
  1.58969099521155010221e-10,
] as const;
const cubic = -1.66666666666666324348e-1;

function polynomial(terms: readonly number[], z: number): number {
  return terms.reduceRight((sum, term) => term + z * sum, 0);
}

function kernelCosine(x: number, low: number): number {
  const size = Math.abs(x);
  if (size < 2 ** -27) return 1;
  const z = x * x;
  const tail = z * (z * polynomial(cosineTerms, z)) - x * low;
  if (size < (1 + 0x33333 / 2 ** 20) / 4) return 1 - (0.5 * z - tail);
  // about x/4 with few bits: 1 - near is exact
  const bits = size < 0.5 ? 2 ** 22 : 2 ** 21;
  const near = size >= 0.78125 + 2 ** -21 ? 0.28125 : Math.floor(size * bits) / bits / 4;
  return 1 - near - (0.5 * z - near - tail);
}

function kernelSine(x: number, low: number): number {
  if (Math.abs(x) < 2 ** -27) return x;
  const z = x * x;
  const v = z * x;
  const r = polynomial(sineTerms, z);
  return low === 0 ? x + v * (cubic + z * r) : x - (z * (0.5 * low - v * r) - low - v * cubic);
}
