import type { Complex } from "complex.js";
import { Fraction } from "fraction.js";
import { exactValue } from "./exact-value.ts";
import { floatValue } from "./float-value.ts";
import { identityOf } from "./normalise.ts";
import { parseExpression, type Json } from "./parse-expression.ts";
import { samplePoint } from "./sample-point.ts";
import type { Scalar } from "./value.ts";

/** How numbers are compared. */
export interface Precision {
  /** Decimals to which a decimal is rounded. */
  readonly digits: number;
  /** Largest absolute difference, where a benchmark names one; the digits then do not matter. */
  readonly tolerance: number | null;
}

/** The outcome of one comparison. */
export interface Match {
  readonly equal: boolean;
  readonly how:
    | "same text"
    | "exact number"
    | "rounded number"
    | "within tolerance"
    | "same value"
    | "at sample points"
    | "malformed";
}

const points = [samplePoint(1), samplePoint(2), samplePoint(3), samplePoint(4, -1)] as const;

/** Compares two numbers or expressions. */
export function compareScalars(a: Scalar, b: Scalar, precision: Precision): Match {
  if (identityOf(a.text) === identityOf(b.text) && a.percent === b.percent) return { equal: true, how: "same text" };
  const decimal = a.decimal || b.decimal;
  const exactPair = [exactOf(a), exactOf(b)] as const;
  if (exactPair[0] && exactPair[1]) {
    const pairs = percentReadings(exactPair[0], a).flatMap((x) =>
      percentReadings(exactPair[1] as Fraction, b).map((y) => [x, y] as const),
    );
    if (pairs.some(([x, y]) => x.equals(y))) return { equal: true, how: "exact number" };
    const how = precision.tolerance === null ? (decimal ? "rounded number" : "exact number") : "within tolerance";
    return { equal: pairs.some(([x, y]) => exactlyEqual(x, y, decimal, precision)), how };
  }
  const [left, right] = [parseScalar(a), parseScalar(b)];
  if (left === null || right === null) return { equal: false, how: "malformed" };
  return compareExpressions(left, right, decimal, precision);
}

/** A scalar's expression, its percent sign included; null when it is malformed. */
export function parseScalar(scalar: Scalar): Json | null {
  const json = parseExpression(scalar.text);
  return json === null || scalar.percent === "no" ? json : ["Divide", json, 100];
}

function exactOf(scalar: Scalar): Fraction | null {
  if (scalar.exact) return scalar.exact;
  if (scalar.text.length > 200 || /[a-zA-Z]{4,}/u.test(scalar.text.replaceAll(/\\[a-zA-Z]+/gu, ""))) return null;
  const json = parseExpression(scalar.text);
  const value = json === null ? null : exactValue(json);
  return value && scalar.percent === "latex" ? value.div(100) : value;
}

/** What a number with a plain percent sign may mean. */
function percentReadings(value: Fraction, { percent }: Scalar): Fraction[] {
  return percent === "plain" ? [value, value.div(100)] : [value];
}

function exactlyEqual(a: Fraction, b: Fraction, decimal: boolean, { digits, tolerance }: Precision): boolean {
  if (tolerance !== null)
    return (
      a
        .sub(b)
        .abs()
        .compare(new Fraction(tolerance * (1 + 1e-9))) <= 0
    );
  if (a.equals(b)) return true;
  if (!decimal || tooSmall(a, b)) return false;
  return a.round(digits).equals(b.round(digits));
}

/** Rounding to so many decimals would leave nothing of numbers this small. */
function tooSmall(a: Fraction, b: Fraction): boolean {
  const size = a.abs().compare(b.abs()) > 0 ? a.abs() : b.abs();
  return a.sub(b).abs().compare(size.div(50)) > 0;
}

/** Compares values: at sample points where names are in it. */
export function compareExpressions(left: Json, right: Json, decimal: boolean, precision: Precision): Match {
  let [seen, negative] = [0, false];
  for (const point of points) {
    const [x, y] = [floatValue(left, point), floatValue(right, point)];
    negative = point === points[3];
    // Where a root or a logarithm is not real, identities of real numbers do not hold.
    if (negative && (Math.abs(x.im) > 1e-9 || Math.abs(y.im) > 1e-9)) continue;
    if (!isFinite(x) || !isFinite(y)) {
      if (x.re === y.re && !Number.isNaN(x.re)) seen++;
      else if (!negative) return { equal: false, how: "at sample points" };
      continue;
    }
    if (!close(x, y, decimal, precision)) return { equal: false, how: "at sample points" };
    seen++;
  }
  return { equal: seen >= 3, how: precision.tolerance === null ? "at sample points" : "within tolerance" };
}

function close(x: Complex, y: Complex, decimal: boolean, { digits, tolerance }: Precision): boolean {
  const difference = Math.hypot(x.re - y.re, x.im - y.im);
  const size = Math.max(Math.hypot(x.re, x.im), Math.hypot(y.re, y.im));
  if (tolerance !== null) return difference <= tolerance * (1 + 1e-9) || difference <= 1e-12 * size;
  if (difference <= 1e-10 * Math.max(size, 1e-3)) return true;
  if (!decimal || difference > size / 50) return false;
  return rounded(x.re, digits) === rounded(y.re, digits) && rounded(x.im, digits) === rounded(y.im, digits);
}

function rounded(value: number, digits: number): number {
  return Math.round(value * 10 ** digits) + 0;
}

function isFinite({ re, im }: Complex): boolean {
  return Number.isFinite(re) && Number.isFinite(im);
}
