import type { Fraction } from "fraction.js";
import { exactValue } from "./exact-value.ts";
import { isMixedNumber } from "./mixed-number.ts";
import { isCall, type Json } from "./json.ts";
import { polynomialAt, polynomialOf, polynomialDerivative, type Polynomial } from "./polynomial.ts";
import { realValue } from "./real-value.ts";

/** Whether a name is in an expression. */
function holds(json: Json, name: string): boolean {
  if (typeof json === "string") return json === name;
  return typeof json === "object" && isCall(json) && json.slice(1).some((part) => holds(part, name));
}

/** An expression with another in the place of a name. */
export function substituted(json: Json, name: string, value: Json): Json {
  if (json === name) return value;
  if (typeof json !== "object" || !isCall(json)) return json;
  const [head, ...rest] = json;
  return [head as Json, ...rest.map((part) => substituted(part, name, value))];
}

/** The derivative by a name; null where a function in it is not known. */
export function derivative(json: Json, name: string): Json | null {
  if (!holds(json, name)) return 0;
  if (typeof json === "string") return 1;
  const [head, ...rest] = json as readonly Json[];
  const [a, b] = rest as [Json, Json];
  if (head === "InvisibleOperator" && isMixedNumber(rest)) return null;
  // A constant exponent or base needs no derivative of its own.
  const derivatives = rest.map((part) => derivative(part, name));
  if (derivatives.includes(null)) return null;
  const [da, db] = derivatives as [Json, Json];
  switch (head as string) {
    case "Add":
      return ["Add", ...(derivatives as Json[])];
    case "Negate":
      return ["Negate", da];
    case "Delimiter":
      return rest.length === 1 ? da : null;
    case "Multiply":
    case "InvisibleOperator":
      return [
        "Add",
        ...rest.map((_, i): Json => [
          "Multiply",
          ...rest.map((part, k) => (k === i ? (derivatives[i] as Json) : part)),
        ]),
      ];
    case "Divide":
      return ["Divide", ["Add", ["Multiply", da, b], ["Negate", ["Multiply", a, db]]], ["Power", b, 2]];
    case "Power":
      if (!holds(b, name)) return ["Multiply", b, lowered(a, b), da];
      return holds(a, name) ? null : ["Multiply", json, ["Ln", a], db];
    case "Sqrt":
      return ["Divide", da, ["Multiply", 2, json]];
    case "Sin":
      return ["Multiply", ["Cos", a], da];
    case "Cos":
      return ["Negate", ["Multiply", ["Sin", a], da]];
    case "Tan":
      return ["Divide", da, ["Power", ["Cos", a], 2]];
    case "Exp":
      return ["Multiply", json, da];
    case "Ln":
      return rest.length === 1 ? ["Divide", da, a] : null;
    default:
      return null;
  }
}

/** A power with an exponent that is one less; without a power of 0, which is undefined at 0. */
function lowered(base: Json, exponent: Json): Json {
  if (exponent === 1) return 1;
  if (exponent === 2) return base;
  return ["Power", base, typeof exponent === "number" ? exponent - 1 : ["Add", exponent, -1]];
}

/** The integral between two places: of polynomials, and of sums of sines, cosines, powers of e and reciprocals of `ax + b`. */
export function integral(json: Json, name: string, low: Json, high: Json): Json | null {
  const polynomial = polynomialOf(json, name);
  if (polynomial) return between(primitive(polynomial, name), name, low, high);
  if (typeof json !== "object" || !isCall(json)) return null;
  const [head, ...rest] = json;
  const [a, b] = rest as [Json, Json];
  if (head === "Delimiter" && rest.length === 1) return integral(a, name, low, high);
  if (head === "Negate") return scaled(-1, integral(a, name, low, high));
  if (head === "Add") {
    const parts = rest.map((part) => integral(part, name, low, high));
    return parts.includes(null) ? null : ["Add", ...(parts as Json[])];
  }
  if (head === "Multiply" || head === "InvisibleOperator") {
    const [bound, free] = [rest.filter((part) => holds(part, name)), rest.filter((part) => !holds(part, name))];
    const [only] = bound;
    if (bound.length !== 1 || free.length === 0 || only === undefined || isMixedNumber(rest)) return null;
    return scaled(free.length === 1 ? (free[0] as Json) : ["Multiply", ...free], integral(only, name, low, high));
  }
  const inner = head === "Power" && (a === "e" || a === "ExponentialE") ? b : head === "Divide" ? b : a;
  const line = inner === undefined ? null : polynomialOf(inner, name);
  const slope = line?.length === 2 ? (line[1] as Fraction) : null;
  if (!line || !slope) return null;
  const over = (whole: Json): Json | null =>
    between(["Divide", whole, ["Rational", Number(slope.s * slope.n), Number(slope.d)]], name, low, high);
  if (head === "Sin") return over(["Negate", ["Cos", a]]);
  if (head === "Cos") return over(["Sin", a]);
  if (head === "Exp" || head === "Power") return head === "Exp" || inner === b ? over(json) : null;
  if (head !== "Divide" || holds(a, name)) return null;
  const [from, to] = [exactValue(low), exactValue(high)];
  // Between the places the reciprocal must not pass its pole.
  if (!from || !to || polynomialAt(line, from).mul(polynomialAt(line, to)).compare(0) <= 0) return null;
  return scaled(a, over(["Ln", ["Abs", b]]));
}

function scaled(factor: Json, value: Json | null): Json | null {
  return value === null ? null : ["Multiply", factor, value];
}

function between(whole: Json, name: string, low: Json, high: Json): Json {
  return ["Add", substituted(whole, name, high), ["Negate", substituted(whole, name, low)]];
}

function primitive(polynomial: Polynomial, name: string): Json {
  const terms = polynomial.map((each, i): Json => {
    const over = each.div(i + 1);
    return ["Multiply", ["Divide", { num: String(over.s * over.n) }, { num: String(over.d) }], ["Power", name, i + 1]];
  });
  return ["Add", 0, ...terms];
}

/** Times that numerator and denominator are differentiated (L'Hospital). */
const maxDerivatives = 6;

/** The limit at a place: the value where the expression is continuous, and what quotients come to where both sides are 0. */
export function limit(json: Json, name: string, at: Json): Json | null {
  if (typeof json === "object" && isCall(json) && json[0] === "Delimiter" && json.length === 2)
    return limit(json[1] as Json, name, at);
  const quotient = typeof json === "object" && isCall(json) && json[0] === "Divide";
  const [top, bottom] = quotient ? [json[1] as Json, json[2] as Json] : [json, 1];
  const [p, q] = [polynomialOf(top, name), polynomialOf(bottom, name)];
  const infinite = JSON.stringify(at).includes("Infinity");
  if (infinite) return p && q && q.length > 0 ? atInfinity(p, q) : null;
  const place = exactValue(at);
  if (p && q && place) return ofPolynomials(p, q, place);
  let above: Json | null = top;
  let below: Json | null = bottom;
  for (let i = 0; i < maxDerivatives && above !== null && below !== null; i++) {
    // Only what has a derivative here is known to be continuous.
    if (derivative(above, name) === null || derivative(below, name) === null) return null;
    const [x, y] = [substituted(above, name, at), substituted(below, name, at)];
    const [u, v] = [realValue(x, () => null), realValue(y, () => null)];
    if (!u || !v) return null;
    if (v.value.abs().greaterThan(1e-12)) return ["Divide", x, y];
    if (v.value.abs().greaterThan(v.error) || u.value.abs().greaterThan(u.error)) return null;
    [above, below] = [derivative(above, name), derivative(below, name)];
  }
  return null;
}

function ofPolynomials(top: Polynomial, bottom: Polynomial, place: Fraction): Json | null {
  let p = top;
  let q = bottom;
  while (q.length > 0) {
    const [u, v] = [polynomialAt(p, place), polynomialAt(q, place)];
    if (!v.equals(0)) return asJson(u.div(v));
    if (!u.equals(0)) return null;
    [p, q] = [polynomialDerivative(p), polynomialDerivative(q)];
  }
  return null;
}

function atInfinity(top: Polynomial, bottom: Polynomial): Json | null {
  if (top.length > bottom.length) return null;
  return top.length < bottom.length ? 0 : asJson((top.at(-1) as Fraction).div(bottom.at(-1) as Fraction));
}

function asJson({ s, n, d }: Fraction): Json {
  return ["Divide", { num: String(s * n) }, { num: String(d) }];
}
