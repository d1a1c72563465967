import type { Fraction } from "fraction.js";
import { exactValue } from "../numbers/exact-value.ts";
import { parseExpression } from "./parse-expression.ts";
import type { Piece } from "./split-top.ts";

/** A number that is not negative. */
const constant = /^(?:\\(?:frac|sqrt|pi)(?![a-zA-Z])|[\d\s{}.[\]/()])+$/u;

/** `|x - 1/2| < 5/2` as `-2 < x < 3`, and with `>` as two rays; null for anything else than `|ax + b|` and a number. */
export function absolute([first, second]: readonly Piece[]): string | null {
  const inner = /^\|([^|]{1,60})\|$/u.exec(first?.text.trim() ?? "")?.[1] ?? "";
  const { text = "", separator: sign = "" } = second ?? {};
  const [name, ...others] = new Set(inner.replaceAll(/\\[a-zA-Z]+/gu, "").match(/[a-zA-Z]/gu));
  const json = name === undefined || others.length > 0 || !constant.test(text.trim()) ? null : parseExpression(inner);
  if (json === null) return null;
  const valueAt = (place: number): Fraction | null => exactValue(json, () => place);
  const shift = valueAt(0);
  const slope = shift && valueAt(1)?.sub(shift);
  const isLine = slope && [2, 5].every((place) => valueAt(place)?.equals(slope.mul(place).add(shift)));
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
