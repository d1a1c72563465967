import { wordTable } from "@laconic/core";
import { Fraction } from "fraction.js";

/** A number as a program writes it (`-12.5`, `3/4`); null where there is none, false where there is no single one. */
export type Reading = string | false | null;

const digits = String.raw`\d{1,3}(?:\.\d{3}){2,}(?![\d.]*\d)|(?:\d{1,3}(?:[,'\u00a0\u2009\u202f]\d{3})+(?!\d)|\d+)(?:\.\d+)?(?:[eE][-+]?\d{1,2}(?![\w.]))?|\.\d+`;
const spaced = String.raw`\d{1,3}(?: \d{3})+(?![\d.])`;
const pattern = (whole: string): RegExp =>
  new RegExp(
    String.raw`(?<![\w.])(?<sign>[-+]?|(?<!\d\s?)\u2013)\s?[$€£¥]?\s?(?:(?<whole>\d+)\s+(?<over>\d+)\s?\/\s?(?<under>\d+)(?![\d.])|(?<number>${whole})(?:\s?\/\s?(?<divisor>\d+)(?![\d.\/]))?)(?<scale>\s(?:thousand|million|billion)\b)?`,
    "gu",
  );
const inProse = pattern(digits);
const inAnswer = pattern(`${spaced}|${digits}`);
const scales: Readonly<Record<string, number>> = wordTable({ thousand: 1e3, million: 1e6, billion: 1e9 });

interface Found {
  readonly value: string;
  readonly start: number;
  readonly end: number;
}

/** What stands in front of a number that is not given as the answer. */
const denied =
  /(?:\b(?:not|never|n[o']t|at\s+(?:least|most)|(?:more|less|greater|fewer|higher|lower)\s+than|above|below|over|under|between)(?:\s+(?:be|equal|exactly|just|simply))?|(?<![\w"/])[<>]|[≤≥≠±]|\\(?:pm|mp|neq?|leq?|geq?|lt|gt))[\s$*:]*$/iu;

/** What stands behind a number that is an end of a range alone: `6 or more`, `6 points or fewer`. */
export const openEnded: RegExp =
  /^[\s$*})]*(?:\\text\s*\{\s*)?(?:(?!or\b)\p{L}+\s+)?or\s+(?:more|less|fewer|greater|larger|smaller|higher|lower|above|below|over|under|so)\b/iu;

/** The numbers of a text, in its order. A number that is denied makes the text say none behind it. */
export function numbersIn(text: string): Reading[] {
  const found = scan(text, inProse);
  const [before, last] = [found.at(-2), found.at(-1)];
  if (!last) return [];
  if (denied.test(text.slice(Math.max(0, last.start - 24), last.start)) || openEnded.test(text.slice(last.end)))
    return [false];
  const together = before && (isCalculation(text, before, last) ? false : compoundOf(text, before, last));
  return [...found.slice(0, -1).map(({ value }) => value), together ?? last.value];
}

/**
 * The number that a part of a reply says, given as the answer: its first, or its last.
 * @param lists - whether numbers behind commas are further answers, as after `####`, or go on with the sentence
 */
export function oneNumber(
  part: string,
  { lists, last = false }: { readonly lists: boolean; readonly last?: boolean },
): Reading {
  const text = part
    .replaceAll(/\\[$!,;]|\{,\}/gu, "")
    .replaceAll(/\\[dtc]?frac\s*\{(\d+)\}\s*\{(\d+)\}/gu, " $1/$2")
    .replaceAll(/\\[dtc]?frac\s*(\d)\s*(\d)/gu, " $1/$2");
  const all = scan(text, inAnswer);
  const [first] = all;
  if (!first) return null;
  const before = text.slice(0, first.start);
  const second = all[1];
  const together = second && compoundOf(text, first, second);
  if (together !== undefined && together !== null && !denied.test(before)) return all.length > 2 ? false : together;
  if (second && isCalculation(text, first, second)) return false;
  // A percentage of something is yet to be calculated.
  if (/^\s*\\?(?:%|percent)\s+of\s+[$€£]?\d/iu.test(text.slice(first.end))) return false;
  const fraction = /^\s+and\s+(?:a|one)\s+(half|quarter)\b/iu.exec(text.slice(first.end))?.[1]?.toLowerCase();
  if (fraction !== undefined && !denied.test(before))
    return new Fraction(first.value).add(fraction === "half" ? "1/2" : "1/4").toFraction();
  if (second && isDenial(text, first, second)) return second.value;
  if (denied.test(before) || openEnded.test(text.slice(first.end))) return false;
  if (second && sameQuantity(text, first, second, lists) && !equal(first.value, second.value)) return false;
  return (last ? (all.at(-1) as Found) : first).value;
}

/** Numbers that a sign joins: a calculation without its result. Plus and minus also join a range, and a sign: see `sameQuantity`. */
function isCalculation(text: string, first: Found, second: Found): boolean {
  return /^[\s{}$]*(?:\*\*?|×|·|÷|\^|\\(?:times|cdot|div)(?![a-z]))[\s{}$]*$/u.test(
    text.slice(first.end, second.start),
  );
}

/** Units of the same kind, the larger ones first. */
const kinds = [
  "weeks? days? hours?|hrs?|h minutes?|mins?|m seconds?|secs?|s",
  "dollars?|bucks? cents?",
  "pounds? pence|p shillings?",
  "miles? yards?|yds? feet|foot|ft inch(?:es)?|in",
  "years? months? weeks? days?",
  "kilomet(?:er|re)s?|km met(?:er|re)s?|m centimet(?:er|re)s?|cm millimet(?:er|re)s?|mm",
  "pounds?|lbs? ounces?|oz",
  "kilograms?|kg grams?|g",
  "gallons? quarts? pints? cups?",
].map((kind) => kind.split(" ").map((unit) => new RegExp(`^(?:${unit})$`, "iu")));

/**
 * "18 dollars and 50 cents" says 18.5; "2 hours and 30 minutes" says no number, since nothing says in which unit.
 * @returns null where the two are no parts of one quantity
 */
export function compoundOf(
  text: string,
  first: Pick<Found, "start" | "end">,
  second: Pick<Found, "start" | "end">,
): Reading {
  const [, unit, link] =
    /^\s*((?!and\b)[\p{L}]*)\.?\s*(,?\s*(?:and\s+)?)[$*]*$/iu.exec(text.slice(first.end, second.start)) ?? [];
  const after = /^\s*(\p{L}+)/u.exec(text.slice(second.end))?.[1];
  if (unit === undefined || link === undefined || after === undefined) return null;
  const currency = unit === "" && text.slice(Math.max(0, first.start - 2), first.end).includes("$");
  const large = currency ? "dollars" : unit;
  const kind = kinds.find((units) => {
    const [a, b] = [large, after].map((word) => units.findIndex((each) => each.test(word)));
    return a !== undefined && b !== undefined && a !== -1 && b > a;
  });
  if (!kind) return null;
  if (!/^dollars?$/iu.test(large) || !/^cents?$/iu.test(after)) return false;
  const [dollars, cents] = [first, second].map(({ start, end }) => {
    const digitsAlone = /^\s*[$]?\s?([\d,]+)$/u.exec(text.slice(start, end))?.[1]?.replaceAll(",", "");
    return digitsAlone === undefined ? null : Number(digitsAlone);
  }) as [number | null, number | null];
  if (dollars === null || cents === null || cents >= 100) return false;
  return `${dollars}.${String(cents).padStart(2, "0")}`;
}

/** `not 5 but 6` says 6. */
function isDenial(text: string, first: Found, second: Found): boolean {
  return (
    /\bnot\b[\s$*]*$/iu.test(text.slice(0, first.start)) &&
    /\b(?:but|it is|it's|rather)[\s$*]*$/iu.test(text.slice(first.end, second.start))
  );
}

/** Whether two numbers are alternatives, ends of a range, or parts of a calculation: nothing stands between but what joins them. */
function sameQuantity(text: string, first: Found, second: Found, lists: boolean): boolean {
  const between = text
    .slice(first.end, second.start)
    .replaceAll(/\\(?:text|mathrm|mbox)\s*|[{}$*\\]|\bmaybe\b|\bperhaps\b/gu, " ");
  const joint = /^\s*([\p{L}%]*)\s*(,?\s*\(?\s*(?:or|and|to)\b|[-–+*×·/?;~]|\btimes\b|\bcdot\b|,)\s*$/iu.exec(between);
  if (!joint) return /^\s*[-–+]\s*$/u.test(text.slice(first.end, second.start)) || glued(text, first, second);
  const [, unit = "", link = ""] = joint;
  if (link === "," && !lists) return false;
  const after = /^\s*([\p{L}%]+)/u.exec(text.slice(second.end))?.[1] ?? "";
  // 120 minutes or 2 hours is one quantity; 120 or 130 minutes are two.
  return unit === ""
    ? !/[$€£¥]/u.test(text.slice(first.end, second.end)) || /[$€£¥]/u.test(text.slice(0, first.end))
    : unit === after;
}

/** `18-3`: the sign of the second is the operator. */
function glued(text: string, first: Found, second: Found): boolean {
  return /^\s?[-+\u2013]/u.test(text.slice(second.start)) && text.slice(first.end, second.start).trim() === "";
}

function equal(a: string, b: string): boolean {
  return new Fraction(a).equals(new Fraction(b));
}

function scan(text: string, numbers: RegExp): Found[] {
  const found: Found[] = [];
  for (const match of text.matchAll(numbers)) {
    const value = valueOf(match.groups as Readonly<Record<string, string | undefined>>);
    if (value === null) continue;
    const negative = /\b(?:negative|minus)\s+$/iu.test(text.slice(Math.max(0, match.index - 10), match.index));
    const signed = negative && !value.startsWith("-") ? `-${value}` : value;
    found.push({ value: signed, start: match.index, end: match.index + match[0].length });
  }
  return found;
}

/** As a program writes it: no currency, no thousands, no spaces. */
function valueOf({
  sign,
  whole,
  over,
  under,
  number,
  divisor,
  scale,
}: Readonly<Record<string, string | undefined>>): string | null {
  const minus = sign === "-" || sign === "\u2013" ? "-" : "";
  if (whole !== undefined) {
    if (Number(under) === 0) return null;
    return `${minus}${new Fraction(whole).add(new Fraction(`${over}/${under}`)).toFraction()}`;
  }
  // Points between several groups of three digits are of thousands.
  const dotted = /\..*\./u.test(number ?? "");
  const plain = (number ?? "").replaceAll(dotted ? "." : /[,'\s]/gu, "");
  if (divisor === undefined && scale === undefined && !/e/iu.test(plain)) return `${minus}${plain}`;
  const [mantissa, exponent] = plain.toLowerCase().split("e");
  let value = new Fraction(mantissa as string);
  if (exponent !== undefined) value = value.mul(new Fraction(10).pow(Number(exponent)));
  if (divisor !== undefined) {
    if (Number(divisor) === 0) return null;
    value = value.div(divisor);
  }
  return `${minus}${value.mul(scales[scale?.trim() ?? ""] ?? 1).toFraction()}`;
}
