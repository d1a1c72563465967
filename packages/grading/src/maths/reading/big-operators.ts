import { derivative, limit } from "../numbers/calculus.ts";
import { exactValue } from "../numbers/exact-value.ts";
import { ofMatrices } from "../numbers/matrices.ts";
import { isCall, partsOf, substituted, type Expression } from "../numbers/expression.ts";

/** Parts of all expressions that sums and products of one answer are written out to. */
const maxParts = 5000;
const maxTerms = 1000;

/**
 * Calculates what `parseLatex` leaves of finite sums and products, limits and derivatives: exactly, or not at all.
 * What stays is a function that nobody knows, equal to itself alone.
 */
export function calculated(expression: Expression): Expression {
  return visited(expression, { parts: maxParts }, 0);
}

interface Budget {
  parts: number;
}

function visited(expression: Expression, budget: Budget, depth: number): Expression {
  if (!isCall(expression) || depth > 200) return expression;
  const [head, ...rest] = expression;
  const within = (part: Expression): Expression => visited(part, budget, depth + 1);
  const [body, quoted, first, second] = rest;
  const name = typeof quoted === "string" ? quoted.slice(1, -1) : "";
  if (typeof head !== "string" || !heads.has(head) || body === undefined || name === "")
    return calculatedCall(head as string, rest.map(within));
  if (head === "Sum" || head === "Product") {
    const terms =
      first === undefined || second === undefined ? null : written(body, name, within(first), within(second), budget);
    if (!terms) return expression;
    const empty = head === "Sum" ? 0 : 1;
    return [head === "Sum" ? "Add" : "Multiply", empty, ...terms.map(within)];
  }
  const inner = within(body);
  if (partsOf(inner).length > maxParts / 50) return expression;
  if (head === "D") return derivative(inner, name) ?? expression;
  return (first === undefined ? null : limit(inner, name, within(first))) ?? expression;
}

function calculatedCall(head: string, args: readonly Expression[]): Expression {
  return ofMatrices(head, args) ?? [head, ...args];
}

const heads = new Set(["Sum", "Product", "Limit", "D"]);

/** The terms, one for each whole number; null where the bounds are none, or the terms are too many. */
function written(
  body: Expression,
  name: string,
  low: Expression,
  high: Expression,
  budget: Budget,
): Expression[] | null {
  const [from, to] = [exactValue(low), exactValue(high)];
  if (!from || !to || from.d !== 1n || to.d !== 1n) return null;
  const [start, end] = [Number(from.s * from.n), Number(to.s * to.n)];
  const count = Math.max(0, end - start + 1);
  if (!Number.isSafeInteger(start) || !(count <= maxTerms)) return null;
  budget.parts -= count * partsOf(body).length;
  if (budget.parts < 0) return null;
  return Array.from({ length: count }, (_, i) => substituted(body, name, start + i));
}
