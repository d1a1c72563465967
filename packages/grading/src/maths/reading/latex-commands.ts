import { wordTable } from "@laconic/core";
/** Commands with one argument behind them, in parentheses or not. */
export const functions: Readonly<Record<string, string>> = wordTable({
  ...Object.fromEntries(
    [
      "sin",
      "cos",
      "tan",
      "cot",
      "sec",
      "csc",
      "arcsin",
      "arccos",
      "arctan",
      "arccot",
      "arcsinh",
      "arccosh",
      "arctanh",
      "sinh",
      "cosh",
      "tanh",
      "ln",
      "lg",
      "exp",
    ].map((name) => [`\\${name}`, `${name[0]?.toUpperCase()}${name.slice(1)}`]),
  ),
  "\\log": "Log",
});
/** Functions of an angle: behind a degree sign their argument is a number of degrees. */
export const ofAngles: ReadonlySet<string> = new Set(["Sin", "Cos", "Tan", "Cot", "Sec", "Csc"]);
/** Commands with a list in parentheses. */
export const lists: Readonly<Record<string, string>> = wordTable({
  "\\abs": "Abs",
  "\\floor": "Floor",
  "\\ceil": "Ceil",
  "\\factorial": "Factorial",
  "\\binomial": "Binomial",
  "\\rational": "Divide",
  "\\modulo": "Mod",
  "\\root": "Root",
  "\\gcd": "GCD",
  "\\lcm": "LCM",
  "\\max": "Max",
  "\\min": "Min",
});
/** Commands with one group, whose meaning does not matter unless two texts differ in it. */
export const accents: Readonly<Record<string, string>> = wordTable({
  "\\overline": "Conjugate",
  "\\bar": "Conjugate",
  "\\vec": "OverVector",
  "\\hat": "OverHat",
  "\\tilde": "OverTilde",
  "\\overrightarrow": "OverVector",
  "\\underline": "UnderBar",
  "\\dot": "OverDot",
  "\\ddot": "OverDots",
  "\\mathcal": "Calligraphic",
  "\\mathfrak": "Fraktur",
  "\\phantom": "Phantom",
});
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
  "(": [")", "Delimiter"],
  "[": ["]", "Delimiter"],
  "\\lfloor": ["\\rfloor", "Floor"],
  "\\lceil": ["\\rceil", "Ceil"],
  "\\{": ["\\}", "Set"],
});
export const times: ReadonlySet<string> = new Set(["\\cdot", "\\times", "*"]);
export const over: ReadonlySet<string> = new Set(["/", "\\div", ":"]);
export const texts: RegExp = /^\\(?:text|operatorname)$/u;
/** Commands that are no names: where they have no place, the text is malformed. */
export const reserved: ReadonlySet<string> = new Set([
  ...Object.values(brackets).map(([close]) => close),
  ..."\\frac \\sqrt \\binom \\choose \\pm \\mp \\begin \\end \\left \\right \\bmod \\mod \\pmod \\% \\& \\\\".split(
    " ",
  ),
  ...times,
  ...over,
]);
