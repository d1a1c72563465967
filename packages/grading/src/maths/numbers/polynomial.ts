import { Fraction } from "fraction.js";
import { exactValue } from "./exact-value.ts";
import { isMixedNumber } from "./mixed-number.ts";
import { isCall, type Json } from "./json.ts";

/** Rational coefficients, the constant one first; no zeros at the end. */
export type Polynomial = readonly Fraction[];

const largestDegree = 40;
const zero = new Fraction(0);

/** An expression as a polynomial in one name; null where it is none, has other names, or grows too large. */
export function polynomialOf(json: Json, name: string): Polynomial | null {
  if (json === name) return [zero, new Fraction(1)];
  const constant = exactValue(json);
  if (constant) return trimmed([constant]);
  if (typeof json !== "object" || !isCall(json)) return null;
  const [head, ...rest] = json;
  const parts: Polynomial[] = [];
  for (const each of head === "Power" ? rest.slice(0, 1) : rest) {
    const part = polynomialOf(each, name);
    if (!part) return null;
    parts.push(part);
  }
  const [a = [], b = []] = parts;
  switch (head as string) {
    case "Add":
      return parts.reduce((x, y) => added(x, y));
    case "Negate":
      return a.map((each) => each.neg());
    case "Delimiter":
      return parts.length === 1 ? a : null;
    case "Multiply":
    case "InvisibleOperator":
      if (isMixedNumber(rest)) return null;
      return parts.reduce<Polynomial | null>((x, y) => x && multiplied(x, y), [new Fraction(1)]);
    case "Divide":
      return b.length === 1 && parts.length === 2 ? a.map((each) => each.div(b[0] as Fraction)) : null;
    case "Power":
      return raised(a, exactValue(rest[1] as Json));
    default:
      return null;
  }
}

/** The value at a rational place. */
export function polynomialAt(polynomial: Polynomial, at: Fraction): Fraction {
  return polynomial.reduceRight((sum, each) => sum.mul(at).add(each), zero);
}

export function polynomialDerivative(polynomial: Polynomial): Polynomial {
  return polynomial.slice(1).map((each, i) => each.mul(i + 1));
}

function raised(base: Polynomial, exponent: Fraction | null): Polynomial | null {
  if (!exponent || exponent.d !== 1n || exponent.s < 0n || exponent.n > BigInt(largestDegree)) return null;
  let all: Polynomial | null = [new Fraction(1)];
  for (let i = 0n; i < exponent.n && all; i++) all = multiplied(all, base);
  return all;
}

function added(a: Polynomial, b: Polynomial): Polynomial {
  return trimmed(Array.from({ length: Math.max(a.length, b.length) }, (_, i) => (a[i] ?? zero).add(b[i] ?? zero)));
}

function multiplied(a: Polynomial, b: Polynomial): Polynomial | null {
  if (a.length + b.length > largestDegree + 2) return null;
  const all = Array.from({ length: Math.max(0, a.length + b.length - 1) }, () => zero);
  for (const [i, x] of a.entries())
    for (const [k, y] of b.entries()) {
      const sum = (all[i + k] as Fraction).add(x.mul(y));
      if (sum.n.toString(16).length + sum.d.toString(16).length > 500) return null;
      all[i + k] = sum;
    }
  return trimmed(all);
}

function trimmed(all: readonly Fraction[]): Polynomial {
  const last = all.findLastIndex((each) => !each.equals(0));
  return all.slice(0, last + 1);
}
