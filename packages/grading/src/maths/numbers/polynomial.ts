import { Fraction } from "fraction.js";
import { exactValue, fractionOf } from "./exact-value.ts";
import { evaluate, type Expression } from "./expression.ts";

/** Rational coefficients, the constant one first; no zeros at the end. */
export type Polynomial = readonly Fraction[];

const largestDegree = 40;
const zero = new Fraction(0);
const one = new Fraction(1);

/** An expression as a polynomial in one name; null where it is none, has other names, or grows too large. */
export function polynomialOf(expression: Expression, name: string): Polynomial | null {
  return evaluate<Polynomial>(expression, {
    number: (text) => constantOf(fractionOf(text)),
    name: (other) => (other === name ? [zero, one] : null),
    apply(head, values, args) {
      const [a = [], b = []] = values;
      if (head === "Add") return values.reduce(added);
      if (head === "Negate") return a.map((each) => each.neg());
      if (head === "Multiply") return values.reduce<Polynomial | null>((x, y) => x && multiplied(x, y), [one]);
      if (head === "Power" && a.length > 1 && b.length < 2) return raised(a, b[0] ?? zero);
      const [divisor] = b;
      if (head === "Divide" && a.length > 1 && b.length === 1 && divisor) return a.map((each) => each.div(divisor));
      if (values.some((each) => each.length > 1)) return null;
      return constantOf(exactValue([head, ...args]));
    },
  });
}

function constantOf(value: Fraction | null): Polynomial | null {
  return value && trimmed([value]);
}

function raised(base: Polynomial, exponent: Fraction): Polynomial | null {
  if (exponent.d !== 1n || exponent.s < 0n || exponent.n > BigInt(largestDegree)) return null;
  const factors = Array.from({ length: Number(exponent.n) }, () => base);
  return factors.reduce<Polynomial | null>((all, each) => all && multiplied(all, each), [one]);
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
