import { wordTable } from "@laconic/core/checks";
/** Symbols of units that take prefixes: the International System's, and those used beside it. */
const scaled = new Set("m g s A K mol N J W Pa Hz V C F H T Wb L l eV cal bar B Bq Gy Sv lm lx cd Wh".split(" "));
const prefixes = new Set("k M G c m µ u n p d h".split(" "));

/** Symbols, each with the words that stand for it, in any case and with an s behind them or without. */
const names: Readonly<Record<string, string>> = wordTable(
  Object.fromEntries(
    (
      "m meter metre; g gram; s sec second; min minute; h hr hour; day; week; month; year yr; in inch inches; ft foot feet; yd yard; " +
      "mi mile; lb pound; oz ounce; gal gallon; l liter litre; quart; pint; cup; dollar usd buck; cent; shilling; pence; euro eur; N newton; J joule; W watt; Pa pascal; " +
      "Hz hertz; V volt; A amp ampere; C coulomb; K kelvin; mol mole; ohm \\omega omega; cal calorie; atm atmosphere"
    )
      .split("; ")
      .map((line) => line.split(" ") as [string, ...string[]])
      .flatMap(([symbol, ...words]) => (scaled.has(symbol) ? words : [symbol, ...words]).map((word) => [word, symbol])),
  ),
);
const prefixNames = { kilo: "k", centi: "c", milli: "m", mega: "M", giga: "G", micro: "µ", nano: "n" };
const powers: Readonly<Record<string, number>> = wordTable({ square: 2, sq: 2, squared: 2, cubic: 3, cu: 3, cubed: 3 });

/** A unit's symbol, with its prefix; null for what is none. */
function symbolOf(word: string): string | null {
  const lower = word.toLowerCase();
  const named = names[lower] ?? (/^\w{2,}s$/u.test(lower) ? names[lower.slice(0, -1)] : undefined);
  if (named !== undefined) return named;
  if (/^[kM]ohm$/u.test(word)) return word;
  if (scaled.has(word)) return word === "L" ? "l" : word;
  const [sign = "", base] = [word[0], word.slice(1)];
  if (prefixes.has(sign) && scaled.has(base)) return `${sign === "u" ? "µ" : sign}${base === "L" ? "l" : base}`;
  for (const [prefix, short] of Object.entries(prefixNames)) {
    const rest = lower.startsWith(prefix) ? symbolOf(lower.slice(prefix.length)) : null;
    if (rest !== null) return `${short}${rest}`;
  }
  // Shouted or sloppy symbols: KM, Kg.
  return /^(?:km|cm|mm|kg|mg|ml)$/u.test(lower) ? lower : null;
}

/**
 * The measure that a unit is, one spelling for all of it: `km*h^-1` for `km/h`, `kilometers per hour` and `km h^{-1}`.
 * @param power - what stands as a power behind all of it
 * @returns null where a word of it is no unit that is known: a thing that is counted, or nothing
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
