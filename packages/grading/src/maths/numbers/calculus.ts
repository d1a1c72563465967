import type { Fraction } from "fraction.js";
import { exactValue } from "./exact-value.ts";
import { holds, isCall, substituted, type Expression } from "./expression.ts";
import { polynomialAt, polynomialOf, type Polynomial } from "./polynomial.ts";
import { realValue } from "./real-value.ts";

type Derivative = (a: Expression, da: Expression, whole: Expression) => Expression;

/** Derivatives of functions of one value, by the function's name. */
const chainRules: Readonly<Record<string, Derivative>> = {
  Negate: (_, da) => ["Negate", da],
  Sin: (a, da) => ["Multiply", ["Cos", a], da],
  Cos: (a, da) => ["Negate", ["Multiply", ["Sin", a], da]],
  Tan: (a, da) => ["Divide", da, ["Power", ["Cos", a], 2]],
  Ln: (a, da) => ["Divide", da, a],
};

/** The derivative by a name; null where a function in it is not known. */
export function derivative(expression: Expression, name: string): Expression | null {
  if (!holds(expression, name)) return 0;
  if (!isCall(expression)) return 1;
  const [head, ...rest] = expression as [string, ...Expression[]];
  const [a, b] = rest as [Expression, Expression];
  if (head === "Root" && typeof b === "number") return derivative(["Power", a, ["Divide", 1, b]], name);
  // A constant exponent or base needs no derivative of its own.
  const derivatives = rest.map((part) => derivative(part, name));
  if (derivatives.includes(null)) return null;
  const [da, db] = derivatives as [Expression, Expression];
  switch (head) {
    case "Add":
      return ["Add", ...(derivatives as Expression[])];
    case "Multiply":
      return ["Add", ...derivatives.map((each, i): Expression => ["Multiply", ...rest.with(i, each as Expression)])];
    case "Divide":
      return ["Divide", ["Add", ["Multiply", da, b], ["Negate", ["Multiply", a, db]]], ["Power", b, 2]];
    case "Power":
      if (!holds(b, name)) return ["Multiply", b, lowered(a, b), da];
      return holds(a, name) ? null : ["Multiply", expression, ["Ln", a], db];
    default:
      return chainRules[head]?.(a, da, expression) ?? null;
  }
}

/** A power with an exponent that is one less; without a power of 0, which is undefined at 0. */
function lowered(base: Expression, exponent: Expression): Expression {
  if (exponent === 1) return 1;
  if (exponent === 2) return base;
  return ["Power", base, typeof exponent === "number" ? exponent - 1 : ["Add", exponent, -1]];
}

/** The integral between two places: of polynomials, and of sums of sines, cosines, powers of e and reciprocals of `ax + b`. */
export function integral(expression: Expression, name: string, low: Expression, high: Expression): Expression | null {
  const between = (whole: Expression): Expression => [
    "Add",
    substituted(whole, name, high),
    ["Negate", substituted(whole, name, low)],
  ];
  const scaled = (factor: Expression, value: Expression | null): Expression | null =>
    value === null ? null : ["Multiply", factor, value];
  const polynomial = polynomialOf(expression, name);
  if (polynomial) return between(primitive(polynomial, name));
  if (!isCall(expression)) return null;
  const [head, ...rest] = expression;
  const [a, b] = rest as [Expression, Expression];
  if (head === "Negate") return scaled(-1, integral(a, name, low, high));
  if (head === "Add") {
    const parts = rest.map((part) => integral(part, name, low, high));
    return parts.includes(null) ? null : ["Add", ...(parts as Expression[])];
  }
  if (head === "Multiply") {
    const [bound, free] = [rest.filter((part) => holds(part, name)), rest.filter((part) => !holds(part, name))];
    const [only] = bound;
    if (bound.length !== 1 || free.length === 0 || only === undefined) return null;
    return scaled(["Multiply", ...free], integral(only, name, low, high));
  }
  const exponential = head === "Power" && a === "e";
  const line = polynomialOf(exponential || head === "Divide" ? b : a, name);
  const slope = line?.length === 2 ? (line[1] as Fraction) : null;
  if (!line || !slope) return null;
  const over = (whole: Expression): Expression => between(["Divide", whole, quotient(slope)]);
  if (exponential) return over(expression);
  if (head === "Sin") return over(["Negate", ["Cos", a]]);
  if (head === "Cos") return over(["Sin", a]);
  if (head !== "Divide" || holds(a, name)) return null;
  const [from, to] = [exactValue(low), exactValue(high)];
  // Between the places the reciprocal must not pass its pole.
  if (!from || !to || polynomialAt(line, from).mul(polynomialAt(line, to)).compare(0) <= 0) return null;
  return scaled(a, over(["Ln", ["Abs", b]]));
}

function primitive(polynomial: Polynomial, name: string): Expression {
  const terms = polynomial.map((each, i): Expression => [
    "Multiply",
    quotient(each.div(i + 1)),
    ["Power", name, i + 1],
  ]);
  return ["Add", 0, ...terms];
}

/** Times that numerator and denominator are differentiated (L'Hospital). */
const maxDerivatives = 6;

/** The limit at a place: the value where the expression is continuous, and what quotients come to where both sides are 0. */
export function limit(expression: Expression, name: string, place: Expression): Expression | null {
  const isQuotient = isCall(expression) && expression[0] === "Divide";
  const [top, bottom] = isQuotient ? (expression.slice(1) as [Expression, Expression]) : [expression, 1];
  const [p, q] = [polynomialOf(top, name), polynomialOf(bottom, name)];
  if (JSON.stringify(place).includes("Infinity")) return p && q && q.length > 0 ? atInfinity(p, q) : null;
  let [above, below]: [Expression, Expression] = [top, bottom];
  for (let i = 0; i < maxDerivatives; i++) {
    const nextAbove: Expression | null = derivative(above, name);
    const nextBelow: Expression | null = derivative(below, name);
    // Only what has a derivative here is known to be continuous.
    if (nextAbove === null || nextBelow === null) return null;
    const [x, y] = [substituted(above, name, place), substituted(below, name, place)];
    const [u, v] = [realValue(x), realValue(y)];
    if (!u || !v) return null;
    if (v.value.abs().greaterThan(1e-12)) return ["Divide", x, y];
    if (v.value.abs().greaterThan(v.error) || u.value.abs().greaterThan(u.error)) return null;
    [above, below] = [nextAbove, nextBelow];
  }
  return null;
}

function atInfinity(top: Polynomial, bottom: Polynomial): Expression | null {
  if (top.length > bottom.length) return null;
  return top.length < bottom.length ? 0 : quotient((top.at(-1) as Fraction).div(bottom.at(-1) as Fraction));
}

function quotient({ s, n, d }: Fraction): Expression {
  return ["Divide", { num: String(s * n) }, { num: String(d) }];
}
