import { wordTable } from "@laconic/core";
import { Decimal } from "decimal.js";
import { inverses } from "./float-value.ts";
import { isMixedNumber } from "./mixed-number.ts";
import { isCall, type Json } from "./json.ts";

/** Real values of names; null for a name that has none. */
export type RealPoint = (name: string) => Decimal | null;

/** A real number, and how far it may be from the true one. */
export interface Real {
  readonly value: Decimal;
  readonly error: Decimal;
}

/** Decimal digits: beyond the most, pi and the logarithm of ten are not known to the library. */
const [minDigits, maxDigits] = [60, 900];
/** Digits that rounding may cost on the way. */
const guard = 20;
/** Trigonometric functions of larger arguments lose their digits. */
const largestAngle = 1e6;
/** Functions of one expression that take more than a multiplication. */
const maxFunctions = 200;

type RealClass = typeof Decimal;

const classes = new Map<number, RealClass>();

function classOf(precision: number): RealClass {
  let known = classes.get(precision);
  if (!known) classes.set(precision, (known = Decimal.clone({ precision, maxE: 1e6, minE: -1e6, defaults: true })));
  return known;
}

const constants = new Map<string, Decimal>();

function constantOf(real: RealClass, name: "pi" | "e"): Decimal {
  const key = `${name} ${real.precision}`;
  const known = constants.get(key) ?? (name === "pi" ? real.acos(-1) : real.exp(1));
  constants.set(key, known);
  return known;
}

/**
 * The real value of an expression, to at least forty digits behind its point and forty of its own.
 * @returns null where it is not real, not known, or needs more digits than there are
 */
export function realValue(json: Json, valueOf: RealPoint): Real | null {
  let digits = minDigits;
  for (let round = 0; round < 3; round++) {
    const found = atPrecision(json, valueOf, digits);
    if (!found) return null;
    const { value, largest } = found;
    // What is left of large numbers that cancel, and the digits of a small one, need as many more.
    const wanted = Math.max(largest, 0) + Math.max(value.isZero() ? 0 : -value.e, 0) + minDigits;
    if (wanted <= digits || (round === 2 && largest + minDigits <= digits))
      return { value, error: new Decimal(10).pow(largest - digits + guard) };
    digits = Math.ceil(wanted / 60) * 60;
    if (digits > maxDigits) return null;
  }
  return null;
}

/** The result of a calculation; null where it needs more digits of pi than the library has. */
function computed(calculate: () => Decimal | null): Decimal | null {
  try {
    return calculate();
  } catch (error) {
    if (String(error).includes("[DecimalError]")) return null;
    throw error;
  }
}

function atPrecision(json: Json, valueOf: RealPoint, digits: number): { value: Decimal; largest: number } | null {
  const real = classOf(digits + guard);
  let largest = 0;
  let functions = 0;
  const visit = (each: Json): Decimal | null => {
    const value = valueHere(each);
    if (!value || value.isNaN() || !value.isFinite()) return null;
    if (!value.isZero()) largest = Math.max(largest, value.e);
    return value;
  };
  const valueHere = (each: Json): Decimal | null => {
    if (typeof each === "number") return new real(each);
    if (typeof each === "string") {
      if (each === "Pi") return constantOf(real, "pi");
      if (each === "e" || each === "ExponentialE") return constantOf(real, "e");
      const value = valueOf(each);
      return value && new real(value);
    }
    if (!isCall(each)) return /^[-+]?\d+(?:\.\d+)?$/u.test(each.num) ? new real(each.num) : null;
    const [head, ...rest] = inverted(each);
    const rule = typeof head === "string" ? rules[head] : undefined;
    if (!rule || rest.length === 0) return null;
    if (!cheap.has(head as string) && ++functions > maxFunctions) return null;
    const values: Decimal[] = [];
    for (const part of rest) {
      const value = visit(part);
      if (!value) return null;
      values.push(value);
    }
    if (head === "InvisibleOperator" && isMixedNumber(rest)) {
      const [a, b] = values as [Decimal, Decimal];
      return a.isNegative() ? a.sub(b) : a.add(b);
    }
    return computed(() => rule(values, real));
  };
  const value = visit(json);
  return value && { value, largest };
}

const cheap = new Set([
  "Add",
  "Subtract",
  "Multiply",
  "InvisibleOperator",
  "Negate",
  "Divide",
  "Rational",
  "Delimiter",
  "Abs",
]);

/** `\sin^{-1} x` is the arcsine. */
function inverted(call: readonly Json[]): readonly Json[] {
  const [head, applied, argument] = call;
  if (head !== "Apply" || applied === undefined || argument === undefined || !isCall(applied)) return call;
  const name = applied[0] === "InverseFunction" ? applied[1] : undefined;
  const inverse = typeof name === "string" ? inverses[name] : undefined;
  return inverse === undefined ? call : [inverse, argument];
}

type Rule = (values: readonly Decimal[], real: RealClass) => Decimal | null;
const one =
  (apply: (a: Decimal, real: RealClass) => Decimal | null): Rule =>
  (values, real) =>
    values.length === 1 ? apply(values[0] as Decimal, real) : null;
const angle = (apply: (a: Decimal) => Decimal): Rule => one((a) => (a.abs().lessThan(largestAngle) ? apply(a) : null));
const two =
  (apply: (a: Decimal, b: Decimal, real: RealClass) => Decimal | null): Rule =>
  (values, real) =>
    values.length === 2 ? apply(values[0] as Decimal, values[1] as Decimal, real) : null;
const product: Rule = (values) => values.reduce((a, b) => a.mul(b));

const rules: Readonly<Record<string, Rule>> = wordTable({
  Add: (values) => values.reduce((a, b) => a.add(b)),
  Subtract: (values) => values.reduce((a, b) => a.sub(b)),
  Multiply: product,
  InvisibleOperator: product,
  Negate: one((a) => a.neg()),
  Divide: two((a, b) => (b.isZero() ? null : a.div(b))),
  Rational: two((a, b) => (b.isZero() ? null : a.div(b))),
  Delimiter: one((a) => a),
  Abs: one((a) => a.abs()),
  Square: one((a) => a.mul(a)),
  Sqrt: one((a) => (a.isNegative() && !a.isZero() ? null : a.sqrt())),
  Root: two(root),
  Power: two(power),
  Exp: one((a) => (a.abs().lessThan(1e5) ? a.exp() : null)),
  Ln: one((a) => (a.greaterThan(0) ? a.ln() : null)),
  Lb: one((a, real) => logarithm(a, new real(2))),
  Lg: one((a, real) => logarithm(a, new real(10))),
  Log: ([a, base], real) => logarithm(a as Decimal, base ?? new real(10)),
  Sin: angle((a) => a.sin()),
  Cos: angle((a) => a.cos()),
  Tan: angle((a) => a.tan()),
  Cot: angle((a) => a.cos().div(a.sin())),
  Sec: angle((a) => a.cos().pow(-1)),
  Csc: angle((a) => a.sin().pow(-1)),
  Arcsin: one((a) => (a.abs().lessThanOrEqualTo(1) ? a.asin() : null)),
  Arccos: one((a) => (a.abs().lessThanOrEqualTo(1) ? a.acos() : null)),
  Arctan: one((a) => a.atan()),
  Sinh: angle((a) => a.sinh()),
  Cosh: angle((a) => a.cosh()),
  Tanh: angle((a) => a.tanh()),
  Floor: one((a, real) => snapped(a, real).floor()),
  Ceil: one((a, real) => snapped(a, real).ceil()),
  Max: (values, real) => real.max(...values),
  Min: (values, real) => real.min(...values),
  Mod: two((a, m, real) => (m.greaterThan(0) ? a.sub(m.mul(snapped(a.div(m), real).floor())) : null)),
});

/** By quotient: the library's own logarithm to a base takes five times as long to be right in its last digit. */
function logarithm(a: Decimal, base: Decimal): Decimal | null {
  return a.greaterThan(0) && base.greaterThan(0) && !base.equals(1) ? a.ln().div(base.ln()) : null;
}

function power(base: Decimal, exponent: Decimal, real: RealClass): Decimal | null {
  if (base.isZero()) return exponent.greaterThan(0) ? base : null;
  if (exponent.isInteger()) {
    // Twenty digits are kept for the error of a long product.
    return exponent.abs().lessThan(1e7) ? base.pow(exponent) : base.abs().equals(1) ? base.pow(exponent.mod(2)) : null;
  }
  if (!base.greaterThan(0)) return null;
  const logarithmOfBase = base.equals(constantOf(real, "e")) ? new real(1) : base.ln();
  if (exponent.abs().mul(real.max(1, logarithmOfBase.abs())).greaterThan(1e5)) return null;
  // Its own power is right in the last digit and takes twice as long; twenty digits are kept for the error.
  return exponent.mul(logarithmOfBase).exp();
}

/** The real root of a negative number, where its degree is odd. */
function root(base: Decimal, degree: Decimal, real: RealClass): Decimal | null {
  if (degree.isZero()) return null;
  if (degree.equals(3)) return base.cbrt();
  if (!base.isNegative() || base.isZero()) return power(base, new real(1).div(degree), real);
  return degree.isInteger() && degree.mod(2).abs().equals(1)
    ? (power(base.neg(), new real(1).div(degree), real)?.neg() ?? null)
    : null;
}

/** A number that differs from a whole one by rounding alone is the whole one. */
function snapped(a: Decimal, real: RealClass): Decimal {
  const near = a.round();
  return a
    .sub(near)
    .abs()
    .lessThan(new real(10).pow(Math.max(a.e, 0) + guard - real.precision))
    ? near
    : a;
}
