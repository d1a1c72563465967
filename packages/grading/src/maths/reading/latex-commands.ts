import { wordTable } from "@laconic/core/checks";

const words = (text: string): string[] => text.split(" ");
const capitalised = (name: string): string => `${name[0]?.toUpperCase()}${name.slice(1)}`;

/** Functions of an angle: behind a degree sign their argument is a number of degrees. */
export const angular: ReadonlySet<string> = new Set(words("\\sin \\cos \\tan \\cot \\sec \\csc"));
const others =
  "\\arcsin \\arccos \\arctan \\arccot \\arcsinh \\arccosh \\arctanh \\sinh \\cosh \\tanh \\ln \\lg \\exp \\log \\det";
/** Commands with one argument behind them, in parentheses or not. */
export const functions: Readonly<Record<string, string>> = wordTable(
  Object.fromEntries([...angular, ...words(others)].map((name) => [name, capitalised(name.slice(1))])),
);
/** Commands with a list in parentheses, and how many it has; 0 for any number. */
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
/** Commands with one group, whose meaning does not matter unless two texts differ in it. */
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
/** Commands that are no names: where they have no place, the text is malformed. */
export const reserved: ReadonlySet<string> = new Set([
  ...Object.values(brackets).map(([close]) => close),
  ...words("\\frac \\sqrt \\binom \\choose \\pm \\mp \\begin \\end \\left \\right \\bmod \\mod \\pmod \\% \\& \\\\"),
  ...times,
  ...over,
]);
