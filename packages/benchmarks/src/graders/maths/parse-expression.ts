import type { ComputeEngine } from "@cortex-js/compute-engine";
import { closingAt } from "./split-top.ts";

/** Compute-engine's JSON of an expression: a number, a symbol, or a function with its arguments. */
export type Json = number | string | readonly Json[] | { readonly num: string };

let engine: ComputeEngine | null = null;

/** Loads the parser, once: 0.3 s. Everything that compares expressions needs it. */
export async function loadParser(): Promise<void> {
  engine ??= new (await import("@cortex-js/compute-engine")).ComputeEngine();
}

const cache = new Map<string, Json | null>();
const mostCached = 2000;

/**
 * Parses LaTeX or a calculator's notation. What it holds is not evaluated.
 * @returns null when it is malformed
 * @throws Error before `loadParser`
 */
export function parseExpression(text: string): Json | null {
  const known = cache.get(text);
  if (known !== undefined) return known;
  if (!engine) throw new Error("loadParser has to finish first");
  const json = checked(engine.parse(latexOf(text), { form: "raw" }).json as Json);
  if (cache.size >= mostCached) cache.clear();
  cache.set(text, json);
  return json;
}

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

/** Commands that need something beside them: alone they are mistakes, any other unknown one is a name. */
const operators = /^'\\(?:cdot|times|div|frac|sqrt|pm|mp|sum|prod|int|begin|end|left|right)'$/u;

/** Null when the parser met something that is no expression. */
function checked(json: Json): Json | null {
  if (typeof json === "number" || typeof json === "string") return json;
  if (!isCall(json)) return "num" in json ? json : null;
  if (json[0] === "Error") {
    const [, code, place] = json;
    const command = Array.isArray(place) ? String(place[1]) : "";
    return code === "'unexpected-command'" && !operators.test(command) ? command : null;
  }
  if (json.length === 0) return null;
  const parts: Json[] = [];
  for (const part of json) {
    const each = checked(part);
    if (each === null) return null;
    parts.push(each);
  }
  return parts;
}

/** A function and its arguments. */
export function isCall(json: Json): json is readonly Json[] {
  return Array.isArray(json);
}
