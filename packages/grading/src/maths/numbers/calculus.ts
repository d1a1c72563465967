import type { Fraction } from "fraction.js";
import { holds, isCall, substituted, type Expression } from "./expression.ts";
import { polynomialOf, type Polynomial } from "./polynomial.ts";
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
