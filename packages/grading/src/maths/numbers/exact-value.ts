import { wordTable } from "@laconic/core/checks";
import { Fraction } from "fraction.js";
import { applied, evaluate, isName, type Expression, type Point, type Rules } from "./expression.ts";

/** Other methods compare larger numbers. */
const largestPower = 4000;
const largestFactorial = 2500;
const maxBits = 8000;
const largestRoot = 64;

const one = new Fraction(1);

/**
 * Rational value; null for other, undefined or too large values.
 * @param point - values of names; default none
 */
export function exactValue(expression: Expression, point: Point = () => null): Fraction | null {
  return evaluate<Fraction>(expression, {
    number: fractionOf,
    name(name) {
      const value = isName(name) ? point(name) : null;
      return value === null ? null : new Fraction(value);
    },
    apply: (head, values) => (values.every((value) => bits(value) <= maxBits) ? applied(rules, head, values) : null),
  });
}

/** Null for other text, or too many digits. */
export function fractionOf(digits: string): Fraction | null {
  return /^[-+]?\d{1,400}(?:\.\d{1,400})?$/u.test(digits) ? new Fraction(digits) : null;
}

type Binary = (a: Fraction, b: Fraction) => Fraction | null;
const bounded =
  (apply: (a: Fraction, b: Fraction) => Fraction): Binary =>
  (a, b) =>
    bits(a) <= maxBits ? apply(a, b) : null;
const ofWhole =
  (apply: (a: bigint, b: bigint) => bigint): Binary =>
  (a, b) =>
    isWhole(a) && isWhole(b) ? new Fraction(apply(a.n, b.n)) : null;

const rules: Rules<Fraction> = wordTable<Binary>({
  Add: bounded((a, b) => a.add(b)),
  Multiply: bounded((a, b) => a.mul(b)),
  Negate: (a) => a.neg(),
  Divide: (a, b) => (b.equals(0) ? null : a.div(b)),
  Power: power,
  Root: (a, n) => (isWhole(n) && n.n <= BigInt(largestRoot) ? root(a, Number(n.s * n.n)) : null),
  Factorial: factorial,
  Abs: (a) => a.abs(),
  Floor: (a) => a.floor(),
  Binomial: binomial,
  GCD: ofWhole(gcd),
  LCM: ofWhole((a, b) => (a === 0n || b === 0n ? 0n : (a / gcd(a, b)) * b)),
  Mod: (a, m) => (m.compare(0) <= 0 ? null : a.sub(m.mul(a.div(m).floor()))),
  Max: (a, b) => (a.compare(b) >= 0 ? a : b),
  Min: (a, b) => (a.compare(b) <= 0 ? a : b),
  Log: (a, base) => logarithm(a, base ?? new Fraction(10)),
});

function power(base: Fraction, exponent: Fraction): Fraction | null {
  if (!isWhole(exponent)) {
    if (exponent.d > BigInt(largestRoot) || base.s < 0n) return null;
    const under = root(base, Number(exponent.d));
    return under && power(under, new Fraction(exponent.s * exponent.n));
  }
  if (base.equals(0)) return exponent.compare(0) > 0 ? base : null;
  if (base.abs().equals(1)) return exponent.n % 2n === 0n ? one : base;
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
  if (k > BigInt(largestFactorial) || k * BigInt(n.toString(2).length) > BigInt(10 * maxBits)) return null;
  let result = 1n;
  for (let i = 1n; i <= k; i++) result = (result * (n - k + i)) / i;
  return new Fraction(result);
}

/** Only odd roots of negative numbers. */
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

function logarithm(a: Fraction, base: Fraction): Fraction | null {
  if (a.compare(0) <= 0 || base.compare(0) <= 0 || base.equals(1)) return null;
  const guess = Math.round(Math.log(a.valueOf()) / Math.log(base.valueOf()));
  return Math.abs(guess) <= largestPower && power(base, new Fraction(guess))?.equals(a) ? new Fraction(guess) : null;
}

function gcd(a: bigint, b: bigint): bigint {
  return b === 0n ? a : gcd(b, a % b);
}

function isWhole({ d }: Fraction): boolean {
  return d === 1n;
}

function bits({ n, d }: Fraction): number {
  return n.toString(16).length * 4 + d.toString(16).length * 4;
}
