import type { UnknownRecord } from "@laconic/core";
import { wordTable } from "@laconic/core/checks";
import { functions, lists } from "./latex-commands.ts";
import { closingAt } from "./split-top.ts";

const words = (text: string): string[] => text.split(" ");
const commandsOf = (names: readonly string[]): Record<string, string> =>
  Object.fromEntries(names.map((name) => [name, `\\${name}`]));
const namesOf = (table: UnknownRecord): string[] => Object.keys(table).map((name) => name.slice(1));
/** Typed without parentheses: `sin x`. */
const bare: ReadonlySet<string> = new Set(namesOf(functions));
/** Typed with parentheses, in any case. */
const called: Readonly<Record<string, string>> = wordTable({
  ...commandsOf([...namesOf(lists), "sqrt"]),
  ...Object.fromEntries(words("sin cos tan cot sinh cosh tanh").map((name) => [`a${name}`, `\\arc${name}`])),
  ceiling: "\\ceil",
  comb: "\\binomial",
  mod: "\\modulo",
  cbrt: "\\sqrt[3]",
  log2: "\\log_{2}",
  log10: "\\log_{10}",
});
const constants: Readonly<Record<string, string>> = wordTable({
  ...commandsOf(words("pi alpha beta gamma delta theta lambda mu rho sigma phi omega")),
  ...Object.fromEntries(words("infinity inf infty oo").map((name) => [name, "\\infty"])),
});

/** Null for other names. */
export function typedName(word: string): "called" | "bare" | "constant" | null {
  const name = word.toLowerCase();
  if (bare.has(name)) return "bare";
  if (name in called) return "called";
  return name in constants ? "constant" : null;
}

const superscripts = "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁽⁾ⁿ";
const subscripts = "₀₁₂₃₄₅₆₇₈₉";
const plainOf = (text: string, alphabet: string): string =>
  text.replaceAll(/./gu, (char) => "0123456789+-()n"[alphabet.indexOf(char)] ?? char);
const raised = new RegExp(`[${superscripts}]+`, "gu");
const lowered = new RegExp(`[${subscripts}]+`, "gu");
const name = /(?<![\\a-zA-Z_'])(?:(?:np|math|sp|sympy|numpy)\.)?([a-zA-Z]{2,10}(?:2|10)?)(?![a-zA-Z])/gu;
const matrix = /(?<![a-zA-Z])(?:(?:np|sp|sympy|numpy)\.)?(?:Matrix|ImmutableMatrix|array)\s*\(/u;
const textGroup = /(\\(?:text|begin|end|operatorname|mathbb|mathcal)\s*\{[^{}]*\})/u;

/** Typed mathematics to LaTeX, like SymPy: `x**12`, `abs(x-1)`, `2+3*I`, `10⁻¹⁹`. */
export function typedToLatex(text: string): string {
  const powers = withoutMatrix(text)
    .replaceAll(raised, (run) => `^{${plainOf(run, superscripts)}}`)
    .replaceAll(lowered, (run) => `_{${plainOf(run, subscripts)}}`)
    .replaceAll("**", "^")
    .replaceAll(/\^\s*([-+]?\d+(?:\.\d+)?)/gu, "^{$1}")
    // SymPy's imaginary unit.
    .replaceAll(/(?<=(?:\*|\d)\s*)I(?![a-zA-Z_])|(?<![a-zA-Z\\])I(?=\s*\*)/gu, "i");
  if (!/[a-zA-Z]{2}/u.test(powers)) return powers;
  return powers
    .split(textGroup)
    .map((part, i) => (i % 2 === 1 ? part : part.replaceAll(name, latexName)))
    .join("");
}

function latexName(whole: string, word: string, index: number, text: string): string {
  const lower = word.toLowerCase();
  const end = index + whole.length;
  const call = /^\s*(?:[({[]|\\\{)/u.test(text.slice(end, end + 4)) ? called[lower] : undefined;
  if (call !== undefined) return call;
  if (bare.has(lower)) return `\\${lower} `;
  const constant = constants[word] ?? (/^(?:Pi|PI|Infinity|Inf)$/u.test(word) ? constants[lower] : undefined);
  return constant === undefined ? whole : `${constant} `;
}

/** `Matrix([[1, 2], [3, 4]])` is a list of rows. */
function withoutMatrix(text: string): string {
  const call = matrix.exec(text);
  if (!call) return text;
  const open = call.index + call[0].length - 1;
  const close = closingAt(text, open);
  return close === -1 ? text : `${text.slice(0, call.index)}${text.slice(open + 1, close - 1)}${text.slice(close)}`;
}
