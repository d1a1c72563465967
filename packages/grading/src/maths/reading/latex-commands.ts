import { wordTable } from "@laconic/core/checks";
import { isCall, type Expression } from "../numbers/expression.ts";

const words = (text: string): string[] => text.split(" ");
/** Degree signs in arguments count. */
export const angular: ReadonlySet<string> = new Set(words("\\sin \\cos \\tan \\cot \\sec \\csc"));
const others =
  "\\arcsin \\arccos \\arctan \\arccot \\arcsinh \\arccosh \\arctanh \\sinh \\cosh \\tanh \\ln \\lg \\exp \\log \\det";
/** Commands with one argument, with or without parentheses. */
export const functions: Readonly<Record<string, string>> = wordTable(
  Object.fromEntries([...angular, ...words(others)].map((name) => [name, `${name[1]?.toUpperCase()}${name.slice(2)}`])),
);
/** List in parentheses, and its length (0 for any). */
export const lists: Readonly<Record<string, readonly [head: string, count: number]>> = wordTable({
  "\\abs": ["Abs", 1],
  "\\floor": ["Floor", 1],
  "\\ceil": ["Ceil", 1],
  "\\factorial": ["Factorial", 1],
  "\\binomial": ["Binomial", 2],
  "\\rational": ["Divide", 2],
  "\\modulo": ["Mod", 2],
  "\\root": ["Root", 2],
  "\\gcd": ["GCD", 0],
  "\\lcm": ["LCM", 0],
  "\\max": ["Max", 0],
  "\\min": ["Min", 0],
});
/** One group, compared only by text. */
export const accents: ReadonlySet<string> = new Set(
  words(
    "\\vec \\hat \\tilde \\overrightarrow \\underline \\dot \\ddot \\mathcal \\mathfrak \\phantom \\overline \\bar",
  ),
);
export const symbols: Readonly<Record<string, string>> = wordTable({
  "\\pi": "Pi",
  "\\infty": "PositiveInfinity",
  "\\emptyset": "EmptySet",
  "\\varnothing": "EmptySet",
  "\\R": "RealNumbers",
});
export const big: Readonly<Record<string, string>> = wordTable({
  "\\sum": "Sum",
  "\\prod": "Product",
  "\\int": "Integrate",
  "\\lim": "Limit",
});
export const brackets: Readonly<Record<string, readonly [close: string, head: string]>> = wordTable({
  "(": [")", "Sequence"],
  "[": ["]", "Sequence"],
  "\\lfloor": ["\\rfloor", "Floor"],
  "\\lceil": ["\\rceil", "Ceil"],
  "\\{": ["\\}", "Set"],
});
export const times: ReadonlySet<string> = new Set(["\\cdot", "\\times", "*"]);
export const over: ReadonlySet<string> = new Set(["/", "\\div", ":"]);
/** Misplaced ones make a text malformed. */
export const reserved: ReadonlySet<string> = new Set([
  ...Object.values(brackets).map(([close]) => close),
  ...words("\\frac \\sqrt \\binom \\choose \\pm \\mp \\begin \\end \\left \\right \\bmod \\mod \\pmod \\% \\& \\\\"),
  ...times,
  ...over,
]);

/** Roots, quotients, powers of e, and logarithms define functions. */
const defined: Readonly<Record<string, (a: Expression) => Expression>> = wordTable({
  Exp: (a) => ["Power", "e", a],
  Lg: (a) => ["Log", a, 10],
  Ceil: (a) => ["Negate", ["Floor", ["Negate", a]]],
  Sec: (a) => ["Divide", 1, ["Cos", a]],
  Csc: (a) => ["Divide", 1, ["Sin", a]],
  Cot: (a) => ["Divide", ["Cos", a], ["Sin", a]],
  Arccot: (a) => ["Add", ["Divide", "Pi", 2], ["Negate", ["Arctan", a]]],
});

export function called(head: string, ...args: readonly Expression[]): Expression {
  return defined[head]?.(args[0] ?? 0) ?? [head, ...args];
}

export function applied(
  command: string,
  argument: Expression,
  base: Expression | null,
  power: Expression | null,
): Expression {
  const head = functions[command]!;
  const isInverse = JSON.stringify(power) === '["Negate",1]';
  if (isInverse && head !== "Log" && head !== "Ln") return called(`Arc${head.toLowerCase()}`, argument);
  const isPair = head === "Log" && base === null && isCall(argument) && argument[0] === "Sequence";
  const args = isPair && argument.length === 3 ? argument.slice(1) : [argument, ...(base === null ? [] : [base])];
  const value = called(head, ...args);
  return power === null ? value : ["Power", value, power];
}

/**
 * Product, mixed number `2\frac13`, or binomial coefficient `C(8, 3)`.
 * @param isWritten - the first has digits, and the second no parentheses
 */
export function implicitProduct(factors: readonly Expression[], isWritten: boolean): Expression {
  const [first = 0, second = 0] = factors;
  if (factors.length === 1) return first;
  if (factors.length > 2 || !isCall(second)) return ["Multiply", ...factors];
  const [head, ...args] = second;
  const [a, b] = args.map(Number);
  const areWhole = args.length === 2 && args.every(Number.isInteger);
  if (first === "C" && head === "Sequence" && areWhole) return ["Binomial", ...args];
  const isProper = head === "Divide" && areWhole && a! > 0 && a! < b!;
  return [isWritten && isProper ? "Add" : "Multiply", ...factors];
}
