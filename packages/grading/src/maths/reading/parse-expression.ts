import type { Expression } from "../numbers/expression.ts";
import { calculated } from "./big-operators.ts";
import { parseLatex } from "./latex-expression.ts";

const cache = new Map<string, Expression | null>();
const maxCached = 2000;

/**
 * Parses LaTeX. Only finite sums and products, integrals, limits and derivatives in it are calculated.
 * @returns null when it is malformed
 */
export function parseExpression(text: string): Expression | null {
  const known = cache.get(text);
  if (known !== undefined) return known;
  const parsed = parseLatex(text);
  const json = parsed !== null && operators.test(text) ? calculated(parsed) : parsed;
  if (cache.size >= maxCached) cache.clear();
  cache.set(text, json);
  return json;
}

const operators = /\\(?:sum|prod|int|lim|det|begin)(?![a-zA-Z])|\\frac\s*\{\s*d\s*\}/u;
