import { Fraction } from "fraction.js";
import { parseExpression } from "./parse-expression.ts";
import { polynomialOf } from "../numbers/polynomial.ts";
import { exactNumber } from "./read-scalar.ts";
import type { Piece } from "./split-top.ts";

/** `|x - 1/2| < 5/2` as `-2 < x < 3`, and with `>` as two rays; null for anything else than `|ax + b|` and a bound that is not negative. */
export function absolute([first, second]: readonly Piece[]): string | null {
  const inner = /^\|([^|]{1,60})\|$/u.exec(first?.text.trim() ?? "")?.[1];
  const bound = exactNumber(second?.text.trim() ?? "");
  const sign = second?.separator;
  const size = second?.text.trim() ?? "";
  // A bound such as \frac{\pi}{2}: a name alone is between it and its negative.
  const alone = inner !== undefined && /^[a-zA-Z]$/u.test(inner.trim());
  const constant = /^(?!-)(?:\\(?:frac|sqrt|pi)(?![a-zA-Z])|[\d\s{}.[\]/()])+$/u.test(size);
  if (alone && !bound && constant && (sign === "<" || sign === "\\leq"))
    return `-(${size}) ${sign} ${inner} ${sign} ${size}`;
  if (inner === undefined || !bound || bound.s < 0n || sign === undefined) return null;
  const [name, ...others] = new Set(inner.replaceAll(/\\[a-zA-Z]+/gu, "").match(/[a-zA-Z]/gu) ?? []);
  const json = name === undefined || others.length > 0 ? null : parseExpression(inner);
  const line = json === null || name === undefined ? null : polynomialOf(json, name);
  if (line?.length !== 2) return null;
  const [shift, slope] = line as [Fraction, Fraction];
  const places = [bound.neg(), bound].map((side) => side.sub(shift).div(slope)).toSorted((a, b) => a.compare(b));
  const [low, high] = places.map((place) => latexOf(place));
  if (sign === "<" || sign === "\\leq") return `${low} ${sign} ${name} ${sign} ${high}`;
  const less = sign === ">" ? "<" : "\\leq";
  return sign === ">" || sign === "\\geq" ? `${name} ${less} ${low} \\text{ or } ${name} ${sign} ${high}` : null;
}

function latexOf({ s, n, d }: Fraction): string {
  return `${s < 0n ? "-" : ""}${d === 1n ? n : `\\frac{${n}}{${d}}`}`;
}
