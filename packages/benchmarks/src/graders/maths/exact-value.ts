import { Fraction } from "fraction.js";
import { isMixedNumber } from "./mixed-number.ts";
import { isCall, type Json } from "./parse-expression.ts";

/** Powers and factorials beyond these are left to floating point. */
const largestPower = 400;
const largestFactorial = 300;
const mostBits = 8000;

/**
 * The rational value of an expression of integers, decimals, sums, products, quotients, whole powers, factorials.
 * @returns null when it holds anything else, or its numbers grow too large
 */
export function exactValue(json: Json): Fraction | null {
  if (typeof json === "number") return Number.isFinite(json) ? new Fraction(String(json)) : null;
  if (typeof json === "string") return null;
  if (!isCall(json)) return /^[-+]?\d{1,400}(?:\.\d{1,400})?$/u.test(json.num) ? new Fraction(json.num) : null;
  const [head, ...rest] = json;
  const values: Fraction[] = [];
  for (const each of rest) {
    const value = exactValue(each);
    if (!value) return null;
    values.push(value);
  }
  const [a, b] = values;
  if (!a || bits(a) > mostBits) return null;
  switch (head as string) {
    case "Add":
      return values.reduce((sum, each) => sum.add(each));
    case "Multiply":
      return values.reduce((product, each) => product.mul(each));
    case "InvisibleOperator":
      return isMixedNumber(rest)
        ? a.compare(0) < 0
          ? a.sub(b as Fraction)
          : a.add(b as Fraction)
        : values.reduce((product, each) => product.mul(each));
    case "Negate":
      return a.neg();
    case "Subtract":
      return b ? a.sub(b) : a.neg();
    case "Divide":
    case "Rational":
      return b && !b.equals(0) ? a.div(b) : null;
    case "Delimiter":
      return values.length === 1 ? a : null;
    case "Square":
      return a.mul(a);
    case "Power":
      return power(a, b);
    case "Factorial":
      return a.d === 1n && a.s >= 0n && a.n <= BigInt(largestFactorial) ? factorial(Number(a.n)) : null;
    case "Abs":
      return a.abs();
    default:
      return null;
  }
}

function power(base: Fraction, exponent: Fraction | undefined): Fraction | null {
  if (!exponent || exponent.d !== 1n || exponent.n > BigInt(largestPower)) return null;
  if (base.equals(0) && exponent.s <= 0n) return null;
  if (bits(base) * Number(exponent.n) > mostBits) return null;
  return base.pow(exponent);
}

function factorial(n: number): Fraction {
  let product = 1n;
  for (let i = 2n; i <= BigInt(n); i++) product *= i;
  return new Fraction(product);
}

function bits({ n, d }: Fraction): number {
  return n.toString(16).length * 4 + d.toString(16).length * 4;
}
