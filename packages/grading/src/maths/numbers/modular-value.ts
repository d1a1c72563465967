import { Fraction } from "fraction.js";
import { exactValue, type RationalPoint } from "./exact-value.ts";
import { isMixedNumber } from "./mixed-number.ts";
import { isCall, type Json } from "./json.ts";

/** Primes of 61 bits that are 1 modulo 4, so that -1 has a square root. */
const fields = [
  [1152921504606847009n, 7n],
  [1152921504606847189n, 2n],
].map(([prime, nonResidue]) => field(prime as bigint, nonResidue as bigint));

interface Field {
  readonly prime: bigint;
  /** A square root of -1. */
  readonly imaginary: bigint;
}

function field(prime: bigint, nonResidue: bigint): Field {
  return { prime, imaginary: powerModulo(nonResidue, (prime - 1n) / 4n, prime) };
}

/** The value of an expression in each field, or why it has none. */
type Residue = bigint | "undefined" | "not rational";

/**
 * Whether two rational expressions are the same, whatever the size of their numbers: their values modulo large primes
 * agree where names are large whole numbers (Schwartz 1980; pi and e are names, since they are transcendental).
 * @returns null where one of them is not rational, or an exponent is too large to be known
 */
export function sameModulo(left: Json, right: Json): boolean | null {
  let seen = 0;
  for (let number = 0; number < 8; number++)
    for (const each of fields) {
      const point = wholePoint(number);
      const [x, y] = [residue(left, each, point), residue(right, each, point)];
      if (x === "not rational" || y === "not rational") return null;
      if (x === "undefined" || y === "undefined") continue;
      if (x !== y) return false;
      seen++;
    }
  return seen >= 8 ? true : null;
}

/**
 * Whether one rational expression is a constant multiple of another, and neither constant.
 * @returns null as `sameModulo`
 */
export function proportionalModulo(left: Json, right: Json): boolean | null {
  for (const each of fields) {
    let ratio: bigint | null = null;
    let before: bigint | null = null;
    let varies: boolean = false;
    let seen: number = 0;
    for (let number = 0; number < 6; number++) {
      const point = wholePoint(number);
      const [x, y] = [residue(left, each, point), residue(right, each, point)];
      if (x === "not rational" || y === "not rational") return null;
      if (x === "undefined" || y === "undefined" || y === 0n) continue;
      const quotient = modulo(x * inverse(y, each.prime), each.prime);
      if (quotient === 0n || (ratio !== null && quotient !== ratio)) return false;
      varies ||= before !== null && before !== x;
      [ratio, before, seen] = [quotient, x, seen + 1];
    }
    if (seen < 4) return null;
    if (!varies) return false;
  }
  return true;
}

/** Whole numbers of 40 bits for names, the same on every run; odd and even ones. */
function wholePoint(number: number): RationalPoint {
  return (name) => {
    let hash = 0xcbf29ce484222325n;
    for (const char of `${number}:${name}`)
      hash = BigInt.asUintN(64, (hash ^ BigInt(char.codePointAt(0) as number)) * 0x100000001b3n);
    hash = BigInt.asUintN(64, (hash ^ (hash >> 29n)) * 0xbf58476d1ce4e5b9n);
    return new Fraction(hash >> 24n);
  };
}

const symbols = new Set([
  "PositiveInfinity",
  "NegativeInfinity",
  "ComplexInfinity",
  "EmptySet",
  "RealNumbers",
  "Nothing",
]);

const isImaginary = (name: string): boolean => name === "i" || name === "ImaginaryUnit";

function residue(json: Json, { prime, imaginary }: Field, point: RationalPoint): Residue {
  const ofFraction = (value: Fraction): Residue => {
    // Most are whole: dividing by one would cost as much as a power.
    if (value.d === 1n) return modulo(value.s * value.n, prime);
    const under = modulo(value.d, prime);
    return under === 0n ? "undefined" : modulo(value.s * value.n * inverse(under, prime), prime);
  };
  // The imaginary unit is no whole number, which the values of names are.
  const exponentOf = (each: Json): Fraction | null =>
    exactValue(each, (name) => (isImaginary(name) ? null : point(name)));
  const visit = (each: Json): Residue => {
    if (typeof each === "string") {
      if (isImaginary(each)) return imaginary;
      if (symbols.has(each) || each.startsWith("'")) return "not rational";
      return ofFraction(point(each === "ExponentialE" ? "e" : each) as Fraction);
    }
    if (typeof each === "number" || !isCall(each)) {
      const value = exactValue(each);
      return value ? ofFraction(value) : "not rational";
    }
    const [head, ...rest] = each;
    if (head === "Power") {
      const [base, exponent] = rest;
      return rest.length === 2 ? raise(visit(base as Json), exponentOf(exponent as Json), prime) : "not rational";
    }
    if (head === "Factorial" || head === "Binomial" || head === "Choose") return counted(rest.map(exponentOf), prime);
    const values = rest.map((part) => visit(part));
    if (values.length === 0 || values.includes("not rational")) return "not rational";
    if (values.includes("undefined")) return "undefined";
    const [a, ...others] = values as bigint[];
    const sum = (terms: readonly bigint[]): bigint => terms.reduce((x, y) => modulo(x + y, prime), 0n);
    switch (head as string) {
      case "Add":
        return sum(values as bigint[]);
      case "InvisibleOperator":
      case "Multiply":
        if (head === "InvisibleOperator" && isMixedNumber(rest)) return ofFraction(exactValue(each) as Fraction);
        return (values as bigint[]).reduce((x, y) => modulo(x * y, prime));
      case "Negate":
        return modulo(-(a as bigint), prime);
      case "Subtract":
        return modulo((a as bigint) - sum(others), prime);
      case "Divide":
      case "Rational":
        if (others.length !== 1) return "not rational";
        return others[0] === 0n ? "undefined" : modulo((a as bigint) * inverse(others[0] as bigint, prime), prime);
      case "Square":
        return modulo((a as bigint) ** 2n, prime);
      case "Delimiter":
        return others.length === 0 ? (a as bigint) : "not rational";
      default:
        return "not rational";
    }
  };
  return visit(json);
}

const largestFactorial = 5000n;
const factorials = new Map<string, bigint>();

/** A factorial, or a binomial coefficient, of numbers that are not too large. */
function counted([top, bottom]: readonly (Fraction | null)[], prime: bigint): Residue {
  if (!top || bottom === null) return "not rational";
  const all = [top, ...(bottom ? [bottom, top.sub(bottom)] : [])];
  if (!all.every(({ s, n, d }) => d === 1n && s >= 0n && n <= largestFactorial)) return "not rational";
  const [n, ...parts] = all.map((each) => factorialModulo(each.n, prime)) as [bigint, ...bigint[]];
  return parts.reduce((rest, part) => modulo(rest * inverse(part, prime), prime), n);
}

function factorialModulo(n: bigint, prime: bigint): bigint {
  const key = `${n}:${prime}`;
  let product = factorials.get(key);
  if (product === undefined) {
    product = 1n;
    for (let i = 2n; i <= n; i++) product = (product * i) % prime;
    if (factorials.size > 1000) factorials.clear();
    factorials.set(key, product);
  }
  return product;
}

/** Fermat: the exponent counts modulo one less than the prime. */
function raise(base: Residue, exponent: Fraction | null, prime: bigint): Residue {
  if (typeof base === "string") return base;
  if (!exponent || exponent.d !== 1n) return "not rational";
  if (base === 0n) return exponent.n === 0n || exponent.s < 0n ? "undefined" : 0n;
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
