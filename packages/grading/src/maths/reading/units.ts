import { wordTable } from "@laconic/core/checks";
import table from "../../../assets/units.json" with { type: "json" };

/**
 * Vocabulary of `assets/units.json`. Units without effect after a number, `words`, are few, because letters are often
 * variables. `prefixed`: symbols of the International System, and those used with it.
 */
const { words, prefixes, prefixed } = table;
const scales: Readonly<Record<string, string>> = wordTable(table.scales);
const powers: Readonly<Record<string, number>> = wordTable(table.powers);
const withPrefix = new Set(prefixed.split(" "));
const prefixSigns = new Set(prefixes.split(" "));
const unitNames: Readonly<Record<string, string>> = wordTable(
  Object.fromEntries(
    Object.entries(table.names).flatMap(([symbol, named]) =>
      [...(withPrefix.has(symbol) ? [] : [symbol]), ...(named.match(/\S+/gu) ?? [])].map((word) => [word, symbol]),
    ),
  ),
);

const plain = new RegExp(
  `(?<=[\\d})\\]])\\s*((?:(?:${words})(?![a-zA-Z])\\.?(?:\\s*\\^\\s*\\{?[23]\\}?)?\\s*)+)$`,
  "u",
);
const inText = /(?<=\S)\s*\\text\s*\{([^{}]{0,60})\}\s*(?:\^\s*\{?(-?\d)\}?)?\s*\.?$/u;
const saying =
  /\b(?:or|and|maybe|perhaps|possibly|if|else|not?|never|cannot|wrong|incorrect|false|invalid|impossible|excluded|rejected|discarded|extraneous|to|than|least|most|between|about|approximately|above|below)\b|n['’]t\b|[?\d]{2}|\?/iu;

const percents = /^\s*(?:percent|pct)\.?\s*$/u;

/** Value without its unit. */
export interface Measured {
  readonly text: string;
  readonly measure: string | null;
}

/** Text commands with powers. */
const product = String.raw`(?:\\text\s*\{[^{}]{1,30}\}\s*(?:\^\s*\{?-?\d\}?)?\s*(?:\\cdot(?![a-zA-Z]))?\s*){1,4}`;
const quotient = String.raw`\\frac\s*\{\s*(${product})\}\s*\{\s*(${product})\}`;
const unitRun = new RegExp(String.raw`(?:${quotient}|${product}(?:\/\s*${product})?)$`, "u");
const powerInside = /(\\text\s*\{[^{}]{1,30})\^\s*\{(-?\d)\}/gu;

/** `\frac{\text{km}}{\text{h}}` is `\text{km/h}`. */
function withJoinedUnits(text: string): string {
  const flat = text.replaceAll(powerInside, "$1^$2").replaceAll(powerInside, "$1^$2");
  const run = text.includes("\\text") ? unitRun.exec(flat) : null;
  if (!run) return flat;
  const unit = (run[1] === undefined ? run[0] : `${run[1]}/(${run[2]})`)
    .replaceAll(/\\text\s*\{([^{}]*)\}/gu, " $1")
    .replaceAll(/\\cdot|[{}]/gu, " ");
  const isJoined = run[1] !== undefined || (run[0].match(/\\text/gu) ?? []).length > 1;
  return isJoined && measureOf(unit) !== null ? `${flat.slice(0, run.index)}\\text{${unit}}` : flat;
}

/** Removes a unit; thousands and millions become factors. */
export function withoutUnit(text: string): Measured {
  let rest = withJoinedUnits(text);
  let measure: string | null = null;
  for (let i = 0; i < 3; i++) {
    const message = inText.exec(rest);
    if (message && (percents.test(message[1]!) || saying.test(message[1]!))) break;
    const behind = message ?? plain.exec(rest);
    if (!behind) break;
    const [, name = "", power] = behind;
    const [first = "", ...others] = name.trim().split(/\s+/u);
    const scale = scales[first.toLowerCase()];
    measure ??= measureOf(scale === undefined ? name : others.join(" "), power);
    const next = rest.slice(0, behind.index).trim();
    if (next === "" || next === rest) break;
    rest = scale === undefined ? next : `(${next}) \\cdot ${scale}`;
  }
  return { text: rest, measure };
}

/** `24 m^2` is square metres if the other side has this unit. */
export function withoutMeasure(text: string, measure: string): string | null {
  const [, number, letters, power] =
    /^([-+]?[\d.,]+(?:\s*\\frac\s*\{\d+\}\s*\{\d+\})?)\s*([a-zA-Z]{1,3})\s*(?:\^\s*\{?([23])\}?)?$/u.exec(text) ?? [];
  return number !== undefined && measureOf(letters ?? "", power) === measure ? number : null;
}

/** Includes the prefix; null if unknown. */
function symbolOf(word: string): string | null {
  const lower = word.toLowerCase();
  const named = unitNames[lower] ?? (/^\w{2,}s$/u.test(lower) ? unitNames[lower.slice(0, -1)] : undefined);
  if (named !== undefined) return named;
  if (/^[kM]ohm$/u.test(word)) return word;
  if (withPrefix.has(word)) return word === "L" ? "l" : word;
  const [sign = "", base] = [word[0], word.slice(1)];
  if (prefixSigns.has(sign) && withPrefix.has(base)) return `${sign === "u" ? "µ" : sign}${base === "L" ? "l" : base}`;
  for (const [prefix, short] of Object.entries(table.prefixNames)) {
    const rest = lower.startsWith(prefix) ? symbolOf(lower.slice(prefix.length)) : null;
    if (rest !== null) return `${short}${rest}`;
  }
  // KM, Kg.
  return /^(?:km|cm|mm|kg|mg|ml)$/u.test(lower) ? lower : null;
}

/**
 * One spelling: `km*h^-1` for `km/h`, `kilometers per hour` and `km h^{-1}`; null if unknown.
 * @param power - of the whole unit
 */
export function measureOf(text: string, power?: string): string | null {
  const spaced = text
    .replaceAll(/\bmph\b/giu, "mi/h")
    .replaceAll(/\bk(?:ph|mh)\b/giu, "km/h")
    .replaceAll(/[()]/gu, " $& ")
    .replaceAll(/[\\~,{}]|\.(?!\d)/gu, " ")
    .replaceAll(/\bper\b|\//giu, " / ")
    .replaceAll(/\bcdot\b|[·*]/gu, " ")
    .trim();
  const exponents = new Map<string, number>();
  let sign = 1;
  let inside = 1;
  let next = 1;
  let last: string | null = null;
  for (const token of spaced.split(/\s+/u)) {
    const by = powers[token.toLowerCase()];
    if (token === "/") sign = -1;
    else if (token === "(" || token === ")") [inside, sign] = [token === "(" ? sign : 1, 1];
    else if (by !== undefined && !token.toLowerCase().endsWith("ed")) next = by;
    else if (by !== undefined && last !== null) exponents.set(last, (exponents.get(last) ?? 0) * by);
    else {
      const [, word = "", exponent] = /^(.+?)\^?(-?\d)?$/u.exec(token) ?? [];
      const symbol = symbolOf(word);
      if (symbol === null) return null;
      exponents.set(symbol, (exponents.get(symbol) ?? 0) + sign * inside * next * Number(exponent ?? 1));
      [last, sign, next] = [symbol, 1, 1];
    }
  }
  if (last !== null && power !== undefined) exponents.set(last, (exponents.get(last) ?? 0) * Number(power));
  if (exponents.size === 0) return null;
  return [...exponents]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([symbol, exponent]) => (exponent === 1 ? symbol : `${symbol}^${exponent}`))
    .join("*");
}
