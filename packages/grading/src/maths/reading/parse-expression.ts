import type { Json } from "../numbers/json.ts";
import { calculated } from "./big-operators.ts";
import { parseLatex } from "./latex-expression.ts";
import { closingAt } from "./split-top.ts";

const cache = new Map<string, Json | null>();
const maxCached = 2000;

/**
 * Parses LaTeX or a calculator's notation. Only finite sums and products, integrals, limits and derivatives in it are calculated.
 * @returns null when it is malformed
 */
export function parseExpression(text: string): Json | null {
  const known = cache.get(text);
  if (known !== undefined) return known;
  const parsed = parseLatex(latexOf(text));
  const json = parsed !== null && operators.test(text) ? calculated(parsed) : parsed;
  if (cache.size >= maxCached) cache.clear();
  cache.set(text, json);
  return json;
}

const operators = /\\(?:sum|prod|int|lim)(?![a-zA-Z])|\\frac\s*\{\s*d\s*\}/u;

const functions =
  "arcsin|arccos|arctan|sinh|cosh|tanh|sin|cos|tan|sec|csc|cot|ln|log|exp|pi|theta|alpha|beta|infty|min|max|gcd|lcm";
const bareFunction = new RegExp(`(?<![\\\\a-zA-Z])(?:np\\.|math\\.)?(${functions})(?![a-zA-Z])`, "gu");

/** What a calculator writes, as LaTeX. */
function latexOf(text: string): string {
  let latex = text.replaceAll(bareFunction, "\\$1 ");
  for (let i = 0; i < 20; i++) {
    const root = /(?<![a-zA-Z])(?:\\|np\.|math\.)?sqrt\s*\(/u.exec(latex);
    if (!root) break;
    const open = root.index + root[0].length - 1;
    const close = closingAt(latex, open);
    if (close === -1) break;
    latex = `${latex.slice(0, root.index)}\\sqrt{${latex.slice(open + 1, close - 1)}}${latex.slice(close)}`;
  }
  return latex;
}
