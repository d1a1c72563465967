import type { Complex } from "complex.js";
import { Decimal } from "decimal.js";
import { isDiscrete, isStepwise, isWholeName, wholePoints, samplePoint } from "../numbers/sample-point.ts";
import { exactValue } from "../numbers/exact-value.ts";
import { isCall, namesOf, type Expression, type Point } from "../numbers/expression.ts";
import { floatValue } from "../numbers/float-value.ts";
import type { Fraction } from "fraction.js";
import { sameModulo } from "../numbers/modular-value.ts";
import { realValue, type Real } from "../numbers/real-value.ts";

export interface Precision {
  readonly digits: number;
  /** Largest absolute difference, instead of rounding. */
  readonly tolerance: number | null;
  readonly lenient?: boolean;
}

export interface Match {
  readonly equal: boolean;
  readonly how:
    | "same text"
    | "exact number"
    | "rounded number"
    | "within tolerance"
    | "same value"
    | "at sample points"
    | "other unit"
    | "malformed"
    | "too large";
}

interface Pair {
  readonly left: Expression;
  readonly right: Expression;
  readonly decimal: boolean;
  readonly precision: Precision;
}

/** Scales of sample points; the last four suit absolute values, maxima and minima. */
const scales = [1, 1, 1, -1, 100, -100, 1e4, 1e6] as const;
const usualScales = 4;
const points = scales.map((scale, i) => samplePoint(i + 1, scale));
const piecewise = /"(?:Abs|Max|Min)"/u;
const different: Match = { equal: false, how: "at sample points" };
const same: Match = { equal: true, how: "at sample points" };
const unknown: Match = { equal: false, how: "too large" };

/**
 * Compares rational expressions modulo large primes, others to at least forty digits at sample points. Complex values
 * and unknown functions use floats.
 */
export function compareExpressions(left: Expression, right: Expression, decimal: boolean, precision: Precision): Match {
  const [a, b] = [infiniteSign(left), infiniteSign(right)];
  if (a !== null || b !== null) return a === b && !Number.isNaN(a) ? same : different;
  const exactly = !decimal && precision.tolerance === null;
  if (JSON.stringify(left) === JSON.stringify(right)) return { equal: true, how: "same value" };
  const names = namesOf(left, right);
  const discrete = isDiscrete(left) || isDiscrete(right);
  if (!discrete && exactly && clearlyDifferent(left, right, points[0]!)) return different;
  const modular = sameModulo(left, right);
  if (modular === true) return { equal: true, how: "same value" };
  if (modular === false && exactly) return { equal: false, how: "same value" };
  const pair = { left, right, decimal, precision };
  return discrete ? atWholePoints(pair, names) : atRealPoints(pair, names);
}

/** 1 or -1 for infinity, null for finite, NaN for calculations. */
function infiniteSign(json: Expression): number | null {
  if (json === "PositiveInfinity") return 1;
  if (!isCall(json) || json[0] === "Limit") return null;
  const [head, ...rest] = json;
  const signs = rest.map(infiniteSign);
  if (signs.every((sign) => sign === null)) return null;
  return head === "Negate" ? -signs[0]! : Number.NaN;
}

function clearlyDifferent(left: Expression, right: Expression, point: Point): boolean {
  const [x, y] = [floatValue(left, point), floatValue(right, point)];
  if (!isFinite(x) || !isFinite(y)) return false;
  const size = Math.max(Math.hypot(x.re, x.im), Math.hypot(y.re, y.im));
  return size > 1e-6 && size < 1e12 && Math.hypot(x.re - y.re, x.im - y.im) > 1e-3 * size;
}

function atRealPoints({ left, right, decimal, precision }: Pair, names: readonly string[]): Match {
  const how = precision.tolerance === null ? "at sample points" : "within tolerance";
  let seen = 0;
  const count = names.length === 0 ? 1 : piecewise.test(JSON.stringify([left, right])) ? points.length : usualScales;
  for (const [i, point] of points.slice(0, count).entries()) {
    const negative = (scales[i] as number) < 0;
    const reals = [realValue(left, point), realValue(right, point)] as const;
    if (reals[0] && reals[1]) {
      if (!closeReals(reals[0], reals[1], decimal, precision)) return { equal: false, how };
      seen++;
      continue;
    }
    const [x, y] = [floatValue(left, point), floatValue(right, point)];
    // Identities of real numbers may fail.
    if (negative && (Math.abs(x.im) > 1e-9 || Math.abs(y.im) > 1e-9)) continue;
    if (!isKnown(x) || !isKnown(y)) {
      if (negative || i >= usualScales) continue;
      return unknown;
    }
    if (areTiny(x, y)) return unknown;
    if (!closeFloats(x, y, decimal, precision)) return { equal: false, how };
    seen++;
  }
  return { equal: seen >= Math.min(3, names.length === 0 ? 1 : 3), how };
}

/** Points where both are defined. */
const fewestPoints = 8;

function atWholePoints(pair: Pair, names: readonly string[]): Match {
  const { left, right, decimal, precision } = pair;
  let seen = 0;
  let oneSided = 0;
  const stepwise = isStepwise(left) || isStepwise(right);
  for (const point of wholePoints(names, stepwise)) {
    const verdict = atWholePoint(pair, point);
    if (verdict === false) return different;
    if (verdict === true) seen++;
    if (verdict === "one is undefined") oneSided++;
  }
  if (seen < fewestPoints || oneSided > seen) return unknown;
  const anyNumbers = names.some((name) => !isWholeName(name));
  if (!anyNumbers || !stepwise) return same;
  for (let number = 1; number <= 12; number++) {
    const sample = samplePoint(number, number % 3 === 0 ? -number : number);
    const [x, y] = [realValue(left, sample), realValue(right, sample)];
    if (x && y && !closeReals(x, y, decimal, precision)) return different;
  }
  return same;
}

function atWholePoint(
  { left, right, decimal, precision }: Pair,
  point: Point,
): boolean | "undefined" | "one is undefined" {
  const [a, b] = [exactValue(left, point), exactValue(right, point)];
  if (a && b) return a.equals(b) || closeReals(realOf(a), realOf(b), decimal, precision);
  const [x, y] = [realValue(left, point), realValue(right, point)];
  if (x && y) return closeReals(x, y, decimal, precision);
  const [u, v] = [floatValue(left, point), floatValue(right, point)];
  if (isKnown(u) && isKnown(v)) return closeFloats(u, v, decimal, precision);
  // Binomial coefficients are 0 where factorials are undefined.
  return isFinite(u) === isFinite(v) || a?.equals(0) || b?.equals(0) ? "undefined" : "one is undefined";
}

function closeFloats(x: Complex, y: Complex, decimal: boolean, precision: Precision): boolean {
  const size = Math.max(Math.hypot(x.re, x.im), Math.hypot(y.re, y.im));
  const least = Math.max(1e-13, Math.min(1e-10 * size, 1e-6));
  const [error, largest] = [new Decimal(least / 2), new Decimal(size)];
  const real = (value: number): Real => ({ value: new Decimal(value), error });
  return (
    closeReals(real(x.re), real(y.re), decimal, precision, largest) &&
    closeReals(real(x.im), real(y.im), decimal, precision, largest)
  );
}

function areTiny(x: Complex, y: Complex): boolean {
  const [a, b] = [Math.hypot(x.re, x.im), Math.hypot(y.re, y.im)];
  return a > 0 && b > 0 && Math.max(a, b) < 1e-13 && Math.hypot(x.re - y.re, x.im - y.im) > 1e-10 * Math.max(a, b);
}

/** Floats lose decimals of larger numbers. */
function isKnown(value: Complex): boolean {
  return isFinite(value) && Math.hypot(value.re, value.im) < 1e10;
}

function isFinite({ re, im }: Complex): boolean {
  return Number.isFinite(re) && Number.isFinite(im);
}

/** Enough digits for any `exactValue`. */
const Digits = Decimal.clone({ precision: 2600, defaults: true });

export function realOf({ s, n, d }: Fraction): Real {
  return { value: new Digits(String(s * n)).div(String(d)), error: new Digits(0) };
}

/**
 * Compares within errors, tolerance, or rounding of decimals, which is relative for small numbers.
 * @param size - of the larger number; rounding differs by at most a fiftieth of it
 */
export function closeReals(
  a: Real,
  b: Real,
  decimal: boolean,
  { digits, tolerance }: Precision,
  size: Decimal = Decimal.max(a.value.abs(), b.value.abs()),
): boolean {
  const difference = a.value.sub(b.value).abs();
  if (difference.lessThanOrEqualTo(a.error.add(b.error))) return true;
  if (tolerance !== null) return difference.lessThanOrEqualTo(tolerance * (1 + 1e-9));
  if (!decimal || difference.greaterThan(size.div(50))) return false;
  const decimals = Math.max(digits, digits - 3 - size.e);
  return a.value.toDecimalPlaces(decimals).equals(b.value.toDecimalPlaces(decimals));
}
