import { wordTable } from "@laconic/core";
import { Decimal } from "decimal.js";
import { Fraction } from "fraction.js";
import { isMixedNumber } from "./mixed-number.ts";
import { isCall, type Json } from "./json.ts";

/** Rational values of names; null for a name that has none. */
export type RationalPoint = (name: string) => Fraction | null;

/** Beyond these, numbers are compared by other means. */
const largestPower = 4000;
const largestFactorial = 300;
const maxBits = 8000;
const largestRoot = 64;

const nameless: RationalPoint = () => null;

/**
 * The rational value of an expression of integers, decimals, sums, products, quotients, whole powers, and of roots,
 * logarithms, floors, factorials, divisors and remainders that come out rational.
 * @param valueOf - values of names; by default an expression with names has no value
 * @returns null when it holds anything else, is undefined, or its numbers grow too large
 */
export function exactValue(json: Json, valueOf: RationalPoint = nameless): Fraction | null {
  // Written out, because the library reads no exponents.
  if (typeof json === "number") return Number.isFinite(json) ? new Fraction(new Decimal(json).toFixed()) : null;
  if (typeof json === "string") return valueOf(json);
  if (!isCall(json)) return /^[-+]?\d{1,400}(?:\.\d{1,400})?$/u.test(json.num) ? new Fraction(json.num) : null;
  const [head, ...rest] = json;
  const rule = typeof head === "string" ? rules[head] : undefined;
  if (!rule || rest.length === 0) return null;
  const values: Fraction[] = [];
  for (const each of rest) {
    const value = exactValue(each, valueOf);
    if (!value || bits(value) > maxBits) return null;
    values.push(value);
  }
  if (head === "InvisibleOperator" && isMixedNumber(rest)) return mixed(values);
  return rule(values);
}

type Rule = (values: readonly Fraction[]) => Fraction | null;
const one =
  (apply: (a: Fraction) => Fraction | null): Rule =>
  (values) =>
    values.length === 1 ? apply(values[0] as Fraction) : null;
const two =
  (apply: (a: Fraction, b: Fraction) => Fraction | null): Rule =>
  (values) =>
    values.length === 2 ? apply(values[0] as Fraction, values[1] as Fraction) : null;
const fold =
  (apply: (a: Fraction, b: Fraction) => Fraction): Rule =>
  (values) => {
    let all = values[0] as Fraction;
    for (const each of values.slice(1)) {
      if (bits(all) > maxBits) return null;
      all = apply(all, each);
    }
    return all;
  };
const product = fold((a, b) => a.mul(b));
const divisors =
  (apply: (a: bigint, b: bigint) => bigint): Rule =>
  (values) =>
    values.length > 1 && values.every((each) => isWhole(each))
      ? fold((a, b) => new Fraction(apply(a.n, b.n)))(values)
      : null;

const rules: Readonly<Record<string, Rule>> = wordTable({
  Add: fold((a, b) => a.add(b)),
  Multiply: product,
  InvisibleOperator: product,
  Negate: one((a) => a.neg()),
  Subtract: fold((a, b) => a.sub(b)),
  Divide: two((a, b) => (b.equals(0) ? null : a.div(b))),
  Rational: two((a, b) => (b.equals(0) ? null : a.div(b))),
  Delimiter: one((a) => a),
  Square: one((a) => a.mul(a)),
  Power: two(power),
  Sqrt: one((a) => root(a, 2)),
  Root: two((a, n) => (isWhole(n) && n.n <= BigInt(largestRoot) ? root(a, Number(integer(n))) : null)),
  Factorial: one((a) => factorial(a)),
  Abs: one((a) => a.abs()),
  Floor: one((a) => new Fraction(floor(a))),
  Ceil: one((a) => new Fraction(-floor(a.neg()))),
  Binomial: two(binomial),
  Choose: two(binomial),
  GCD: divisors(gcd),
  LCM: divisors((a, b) => (a === 0n || b === 0n ? 0n : (a / gcd(a, b)) * b)),
  Mod: two((a, m) => (m.compare(0) <= 0 ? null : a.sub(m.mul(new Fraction(floor(a.div(m))))))),
  Max: (values) => values.reduce((a, b) => (a.compare(b) >= 0 ? a : b)),
  Min: (values) => values.reduce((a, b) => (a.compare(b) <= 0 ? a : b)),
  Lb: one((a) => logarithm(a, new Fraction(2))),
  Lg: one((a) => logarithm(a, new Fraction(10))),
  Log: (values) => logarithm(values[0] as Fraction, values[1] ?? new Fraction(10)),
});

function mixed([a, b]: readonly Fraction[]): Fraction {
  return (a as Fraction).s < 0n ? (a as Fraction).sub(b as Fraction) : (a as Fraction).add(b as Fraction);
}

function power(base: Fraction, exponent: Fraction): Fraction | null {
  if (exponent.d !== 1n) {
    if (exponent.d > BigInt(largestRoot) || base.s < 0n) return null;
    const under = root(base, Number(exponent.d));
    return under && power(under, new Fraction(exponent.s * exponent.n));
  }
  if (base.equals(0)) return exponent.compare(0) > 0 ? base : null;
  if (base.abs().equals(1)) return base.s > 0n || exponent.n % 2n === 0n ? new Fraction(1) : base;
  if (exponent.n > BigInt(largestPower) || bits(base) * Number(exponent.n) > maxBits) return null;
  return base.pow(exponent);
}

function factorial(a: Fraction): Fraction | null {
  if (!isWhole(a) || a.s < 0n || a.n > BigInt(largestFactorial)) return null;
  let result = 1n;
  for (let i = 2n; i <= a.n; i++) result *= i;
  return new Fraction(result);
}

function binomial(top: Fraction, bottom: Fraction): Fraction | null {
  if (!isWhole(top) || !isWhole(bottom) || top.s < 0n || bottom.s < 0n) return null;
  const [n, all] = [top.n, bottom.n];
  if (all > n) return new Fraction(0);
  const k = all < n - all ? all : n - all;
  if (k > BigInt(largestFactorial) || k * BigInt(n.toString(2).length) > BigInt(maxBits)) return null;
  let result = 1n;
  for (let i = 1n; i <= k; i++) result = (result * (n - k + i)) / i;
  return new Fraction(result);
}

/** The rational root, where there is one; of a negative number only for odd degrees. */
function root(a: Fraction, degree: number): Fraction | null {
  if (degree < 1 || (a.s < 0n && degree % 2 === 0)) return null;
  const [top, bottom] = [wholeRoot(a.n, degree), wholeRoot(a.d, degree)];
  if (top === null || bottom === null) return null;
  return new Fraction(a.s < 0n ? -top : top, bottom);
}

function wholeRoot(n: bigint, degree: number): bigint | null {
  if (n < 2n) return n;
  const k = BigInt(degree);
  let guess = 1n << BigInt(Math.ceil(n.toString(2).length / degree));
  for (;;) {
    const next = ((k - 1n) * guess + n / guess ** (k - 1n)) / k;
    if (next >= guess) return guess ** k === n ? guess : null;
    guess = next;
  }
}

/** The whole logarithm, where there is one. */
function logarithm(a: Fraction, base: Fraction): Fraction | null {
  if (a.compare(0) <= 0 || base.compare(0) <= 0 || base.equals(1)) return null;
  const down = base.compare(1) < 0;
  const [ground, sign] = down ? [base.inverse(), -1] : [base, 1];
  const [value, side] = a.compare(1) < 0 ? [a.inverse(), -sign] : [a, sign];
  const guess = Math.round(logOf(value) / logOf(ground));
  if (guess > largestPower || !power(ground, new Fraction(guess))?.equals(value)) return null;
  return new Fraction(side * guess);
}

function logOf({ n, d }: Fraction): number {
  const log = (size: bigint): number => {
    const digits = size.toString();
    return Math.log(Number(`0.${digits}`)) + digits.length * Math.LN10;
  };
  return log(n) - log(d);
}

function gcd(a: bigint, b: bigint): bigint {
  let x = a;
  let y = b;
  while (y > 0n) [x, y] = [y, x % y];
  return x;
}

function floor({ s, n, d }: Fraction): bigint {
  return s >= 0n ? n / d : -((n + d - 1n) / d);
}

function isWhole({ d }: Fraction): boolean {
  return d === 1n;
}

function integer({ s, n }: Fraction): bigint {
  return s < 0n ? -n : n;
}

function bits({ n, d }: Fraction): number {
  return n.toString(16).length * 4 + d.toString(16).length * 4;
}
