import type { Fraction } from "fraction.js";
import { exactValue } from "../numbers/exact-value.ts";
import { parseExpression } from "./parse-expression.ts";
import { splitTop, type Piece } from "./split-top.ts";

/** A non-negative number. */
const constant = /^(?:\\(?:frac|sqrt|pi)(?![a-zA-Z])|[\d\s{}.[\]/()])+$/u;

/** Rewrites `|x - 1/2| < 5/2` as `-2 < x < 3`, `>` as two rays. */
export function absolute([first, second]: readonly Piece[]): string | null {
  const inner = /^\|([^|]{1,60})\|$/u.exec(first?.text.trim() ?? "")?.[1] ?? "";
  const { text = "", separator: sign = "" } = second ?? {};
  const [name, ...others] = new Set(inner.replaceAll(/\\[a-zA-Z]+/gu, "").match(/[a-zA-Z]/gu));
  const json = name === undefined || others.length > 0 || !constant.test(text.trim()) ? null : parseExpression(inner);
  if (json === null) return null;
  const valueAt = (index: number): Fraction | null => exactValue(json, () => index);
  const shift = valueAt(0);
  const slope = shift && valueAt(1)?.sub(shift);
  const isLine = slope && [2, 5].every((index) => valueAt(index)?.equals(slope.mul(index).add(shift)));
  if (!isLine || slope.equals(0)) return null;
  const ends = ["-", ""].map((minus) => `\\frac{${minus}(${text})-(${latexOf(shift)})}{${latexOf(slope)}}`);
  const [low, high] = slope.s < 0n ? ends.toReversed() : ends;
  if (sign === "<" || sign === "\\leq") return `${low} ${sign} ${name} ${sign} ${high}`;
  const less = sign === ">" ? "<" : "\\leq";
  return sign === ">" || sign === "\\geq" ? `${name} ${less} ${low} \\text{ or } ${name} ${sign} ${high}` : null;
}

function latexOf({ s, n, d }: Fraction): string {
  return `\\frac{${s < 0n ? "-" : ""}${n}}{${d}}`;
}

const vector = String.raw`\\(?:mathbf|hat|vec|widehat)\s*\{?\s*(?:\\(?:mathbf)\s*\{?\s*)?\\?(i|j|k)(?:math)?\s*\}{0,2}`;
const behind = new RegExp(String.raw`^(.*?)\s*(?:\\cdot|\\,)?\s*${vector}$`, "su");

/** Rewrites `2\mathbf{i} - \mathbf{j}` as `(2, -1)`; null for other texts. */
export function unitVectors(latex: string): string | null {
  if (!new RegExp(vector, "u").test(latex)) return null;
  const coordinates = new Map<string, string>();
  const terms = splitTop(latex.trim().replaceAll("$", ""), /(?<=\S\s*)[-+]/u);
  for (const { text, separator } of terms) {
    const [, factor, name] = behind.exec(text.trim()) ?? [];
    if (factor === undefined || name === undefined || coordinates.has(name)) return null;
    const size = factor.trim() === "" ? "1" : factor.trim() === "-" ? "-1" : factor.trim();
    coordinates.set(name, separator === "-" ? `-(${size})` : size);
  }
  const axes = coordinates.has("k") ? ["i", "j", "k"] : ["i", "j"];
  return `(${axes.map((axis) => coordinates.get(axis) ?? "0").join(", ")})`;
}
