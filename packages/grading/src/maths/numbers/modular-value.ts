import type { Fraction } from "fraction.js";
import { exactValue, fractionOf } from "./exact-value.ts";
import { applied, evaluate, isName, type Expression, type Point, type Rules } from "./expression.ts";
import { wholePoint } from "./sample-point.ts";

/** Primes of 61 bits, 1 modulo 4, so that -1 has a square root. */
const fields = [
  [1152921504606847009n, 7n],
  [1152921504606847189n, 2n],
].map(([prime, nonResidue]): Field => ({
  prime: prime!,
  imaginary: powerModulo(nonResidue!, (prime! - 1n) / 4n, prime!),
}));

interface Field {
  readonly prime: bigint;
  /** A square root of -1. */
  readonly imaginary: bigint;
}

/** Null if not rational, undefined after division by zero. */
type Residue = bigint | undefined;

/** Points where both sides must be defined. */
const points = 4;

/**
 * Compares modulo large primes, at large integers (Schwartz 1980). Pi and e count as names, since they are
 * transcendental. Null if not rational, or an exponent is too large.
 */
export function sameModulo(left: Expression, right: Expression): boolean | null {
  let compared = 0;
  for (const item of fields)
    for (let number = 0; number < 2 * points; number++) {
      const point = wholePoint(number);
      const [x, y] = [residueOf(left, item, point), residueOf(right, item, point)];
      if (x === null || y === null) return null;
      if (x === undefined || y === undefined) continue;
      if (x !== y) return false;
      compared++;
    }
  return compared >= points * fields.length ? true : null;
}

function residueOf(expression: Expression, { prime, imaginary }: Field, point: Point): Residue | null {
  const ofFraction = ({ s, n, d }: Fraction): Residue => {
    // Division costs as much as a power.
    if (d === 1n) return modulo(s * n, prime);
    return modulo(d, prime) === 0n ? undefined : modulo(s * n * inverse(d, prime), prime);
  };
  const rules: Rules<Residue> = {
    Add: (a, b) => modulo(a! + b!, prime),
    Multiply: (a, b) => modulo(a! * b!, prime),
    Negate: (a) => modulo(-a!, prime),
    Divide: (a, b) => (b === 0n ? undefined : modulo(a! * inverse(b!, prime), prime)),
  };
  return evaluate<Residue>(expression, {
    number(text) {
      const value = fractionOf(text);
      return value && ofFraction(value);
    },
    name(name) {
      if (name === "i") return imaginary;
      return isName(name) || name === "e" || name === "Pi" ? BigInt(point(name)!) : null;
    },
    apply(head, values, args) {
      if (head === "Factorial" || head === "Binomial") {
        const count = exactValue([head, ...args], point);
        return count && ofFraction(count);
      }
      if (values.includes(undefined)) return head in rules || head === "Power" ? undefined : null;
      if (head !== "Power") return applied(rules, head, values);
      return raised(values[0]!, exactValue(args[1]!, point), prime);
    },
  });
}

/** Fermat: exponents count modulo the prime minus one. */
function raised(base: bigint, exponent: Fraction | null, prime: bigint): Residue | null {
  if (exponent?.d !== 1n) return null;
  if (base === 0n) return exponent.n === 0n || exponent.s < 0n ? undefined : 0n;
  return powerModulo(base, modulo(exponent.s * exponent.n, prime - 1n), prime);
}

function powerModulo(base: bigint, exponent: bigint, prime: bigint): bigint {
  let result = 1n;
  let square = base;
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = (result * square) % prime;
    square = (square * square) % prime;
  }
  return result;
}

function inverse(value: bigint, prime: bigint): bigint {
  return powerModulo(value, prime - 2n, prime);
}

function modulo(value: bigint, prime: bigint): bigint {
  const rest = value % prime;
  return rest < 0n ? rest + prime : rest;
}
