import { exactValue } from "../numbers/exact-value.ts";
import { type Expression, isCall, partsOf, substituted } from "../numbers/expression.ts";
import { ofMatrices } from "../numbers/matrices.ts";
import { parseLatex } from "./latex-expression.ts";

const cache = new Map<string, Expression | null>();
const maxCached = 2000;

/** Parses LaTeX, and calculates finite sums and products; null if malformed. */
export function parseExpression(text: string): Expression | null {
  const expression = cache.get(text);
  if (expression !== undefined) return expression;
  const parsed = parseLatex(text);
  const json = parsed !== null && operators.test(text) ? visited(parsed, { parts: maxParts }, 0) : parsed;
  if (cache.size >= maxCached) cache.clear();
  cache.set(text, json);
  return json;
}

const operators = /\\(?:sum|prod|int|lim|det|begin)(?![a-zA-Z])|\\frac\s*\{\s*d\s*\}/u;

const maxParts = 5000;
const maxTerms = 1000;

function visited(expression: Expression, budget: { parts: number }, depth: number): Expression {
  if (!isCall(expression) || depth > 200) return expression;
  const [head, ...rest] = expression as [string, ...Expression[]];
  const within = (part: Expression): Expression => visited(part, budget, depth + 1);
  const [body, quoted, first, second] = rest;
  if ((head !== "Sum" && head !== "Product") || second === undefined) {
    const args = rest.map(within);
    return ofMatrices(head, args) ?? [head, ...args];
  }
  const name = (quoted as string).slice(1, -1);
  const terms = written(body!, name, within(first!), within(second), budget);
  return terms ? [head === "Sum" ? "Add" : "Multiply", head === "Sum" ? 0 : 1, ...terms.map(within)] : expression;
}

/** Null for invalid bounds or too many terms. */
function written(
  body: Expression,
  name: string,
  low: Expression,
  high: Expression,
  budget: { parts: number },
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
