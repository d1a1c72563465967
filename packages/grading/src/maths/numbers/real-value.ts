import { wordTable } from "@laconic/core/checks";
import { Decimal } from "decimal.js";
import { applied, evaluate, isName, type Expression, type Point, type Rules } from "./expression.ts";

export interface Real {
  readonly value: Decimal;
  readonly error: Decimal;
}

/** Digits; the library has no more of pi and ln 10. */
const [minDigits, maxDigits] = [60, 900];
/** Digits for rounding errors. */
const guard = 20;
/** Larger angles lose digits. */
const largestAngle = 1e6;
/** They cost more than multiplication. */
const maxFunctions = 200;

type RealClass = typeof Decimal;

const classes = new Map<number, RealClass>();

function classOf(precision: number): RealClass {
  let registry = classes.get(precision);
  if (!registry)
    classes.set(precision, (registry = Decimal.clone({ precision, maxE: 1e6, minE: -1e6, defaults: true })));
  return registry;
}

const constants = new Map<string, Decimal>();

function constantOf(real: RealClass, name: "Pi" | "e"): Decimal {
  const key = `${name} ${real.precision}`;
  const registry = constants.get(key) ?? (name === "Pi" ? real.acos(-1) : real.exp(1));
  constants.set(key, registry);
  return registry;
}

/**
 * Value with at least forty decimals and significant digits; null if not real, unknown, or too long.
 * @param point - values of names; default none
 */
export function realValue(expression: Expression, point: Point = () => null): Real | null {
  let digits = minDigits;
  for (let round = 0; round < 3; round++) {
    const match = atPrecision(expression, point, digits);
    if (!match) return null;
    const { value, largest } = match;
    // Cancellation and small numbers need more digits.
    const wanted = Math.max(largest, 0) + Math.max(value.isZero() ? 0 : -value.e, 0) + minDigits;
    if (wanted <= digits || (round === 2 && largest + minDigits <= digits))
      return { value, error: new Decimal(10).pow(largest - digits + guard) };
    digits = Math.ceil(wanted / 60) * 60;
    if (digits > maxDigits) return null;
  }
  return null;
}

/** Null if the library has too few digits of pi. */
function computed(calculate: () => Decimal | null): Decimal | null {
  try {
    return calculate();
  } catch (error) {
    if (String(error).includes("[DecimalError]")) return null;
    throw error;
  }
}

function atPrecision(
  expression: Expression,
  point: Point,
  digits: number,
): { readonly value: Decimal; readonly largest: number } | null {
  const real = classOf(digits + guard);
  let largest = 0;
  let functions = 0;
  const measured = (value: Decimal | null): Decimal | null => {
    if (!value || value.isNaN() || !value.isFinite()) return null;
    if (!value.isZero()) largest = Math.max(largest, value.e);
    return value;
  };
  const value = evaluate<Decimal>(expression, {
    number: (text) => (/^[-+]?\d+(?:\.\d+)?$/u.test(text) ? measured(new real(text)) : null),
    name(name) {
      if (name === "Pi" || name === "e") return constantOf(real, name);
      const registry = isName(name) ? point(name) : null;
      return registry === null ? null : measured(new real(registry));
    },
    apply(head, values) {
      if (!cheap.has(head) && ++functions > maxFunctions) return null;
      return measured(computed(() => applied(rules, head, values)));
    },
  });
  return value && { value, largest };
}

const cheap = new Set(["Add", "Multiply", "Negate", "Divide", "Abs"]);

type Binary = (a: Decimal, b: Decimal) => Decimal | null;
const angle =
  (apply: (a: Decimal) => Decimal): Binary =>
  (a) =>
    a.abs().lessThan(largestAngle) ? apply(a) : null;
const rules: Rules<Decimal> = wordTable<Binary>({
  Add: (a, b) => a.add(b),
  Multiply: (a, b) => a.mul(b),
  Negate: (a) => a.neg(),
  Divide: (a, b) => (b.isZero() ? null : a.div(b)),
  Abs: (a) => a.abs(),
  Root: root,
  Power: power,
  Ln: (a) => (a.greaterThan(0) ? a.ln() : null),
  Log: (a, base) => logarithm(a, base ?? like(a, 10)),
  Sin: angle((a) => a.sin()),
  Cos: angle((a) => a.cos()),
  Tan: angle((a) => a.tan()),
  Arcsin: (a) => (a.abs().lessThanOrEqualTo(1) ? a.asin() : null),
  Arccos: (a) => (a.abs().lessThanOrEqualTo(1) ? a.acos() : null),
  Arctan: (a) => a.atan(),
  Sinh: angle((a) => a.sinh()),
  Cosh: angle((a) => a.cosh()),
  Tanh: angle((a) => a.tanh()),
  Floor: (a) => snapped(a).floor(),
  Max: (a, b) => (a.lessThan(b) ? b : a),
  Min: (a, b) => (a.lessThan(b) ? a : b),
  Mod: (a, m) => (m.greaterThan(0) ? a.sub(m.mul(snapped(a.div(m)).floor())) : null),
});

const classFor = (a: Decimal): RealClass => a.constructor as RealClass;

function like(a: Decimal, value: number): Decimal {
  return new (classFor(a))(value);
}

/** Five times faster than the library's base logarithm. */
function logarithm(a: Decimal, base: Decimal): Decimal | null {
  return a.greaterThan(0) && base.greaterThan(0) && !base.equals(1) ? a.ln().div(base.ln()) : null;
}

function power(base: Decimal, exponent: Decimal): Decimal | null {
  if (base.isZero()) return exponent.greaterThan(0) ? base : null;
  if (exponent.isInteger()) {
    // Twenty digits cover a long product's error.
    return exponent.abs().lessThan(1e7) ? base.pow(exponent) : base.abs().equals(1) ? base.pow(exponent.mod(2)) : null;
  }
  if (!base.greaterThan(0)) return null;
  const logarithmOfBase = base.equals(constantOf(classFor(base), "e")) ? like(base, 1) : base.ln();
  if (exponent.abs().mul(Decimal.max(1, logarithmOfBase.abs())).greaterThan(1e5)) return null;
  // Twice as fast as the library's power; twenty digits cover the error.
  return exponent.mul(logarithmOfBase).exp();
}

/** Odd degree of a negative number. */
function root(base: Decimal, degree: Decimal): Decimal | null {
  if (degree.equals(3)) return base.cbrt();
  if (degree.isZero()) return null;
  if (!base.isNegative() || base.isZero())
    return degree.equals(2) ? base.sqrt() : power(base, like(base, 1).div(degree));
  const isOdd = degree.isInteger() && degree.mod(2).abs().equals(1);
  return isOdd ? (power(base.neg(), like(base, 1).div(degree))?.neg() ?? null) : null;
}

function snapped(a: Decimal): Decimal {
  const near = a.round();
  const step = like(a, 10).pow(Math.max(a.e, 0) + guard - classFor(a).precision);
  return a.sub(near).abs().lessThan(step) ? near : a;
}
