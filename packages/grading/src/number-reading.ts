import { Fraction } from "fraction.js";
import { exactValue } from "./maths/numbers/exact-value.ts";
import { parseExpression } from "./maths/reading/parse-expression.ts";
import { proseExpressions } from "./maths/reading/prose-expressions.ts";
import { readValue } from "./maths/reading/read-value.ts";
import { conjunction, isDenied, openEnded } from "./reply/answer-cues.ts";
import { numberOfWords, wordNumbersIn } from "./reply/number-words.ts";

/** A number as a program writes it (`-12.5`, `3/4`); null without a number, false where no single number is given. */
export type Reading = string | false | null;

/** A number of a text; `value` is null where its digits are not one number, such as `1,23,4567`. */
interface NumberInText {
  readonly value: string | null;
  readonly start: number;
  readonly end: number;
}

/** What stands in front of a number that bounds the answer. */
const boundBefore =
  /(?:\b(?:at\s+(?:least|most)|(?:more|less|greater|fewer|higher|lower)\s+than|above|below|over|under|between|up\s+to|from)|(?<![\w"/])[<>]|[≤≥≠±]|\\(?:pm|mp|neq?|leq?|geq?|lt|gt))[\s$*:]*$/iu;
/** What makes the number in front of it an ordinal, a time or a part of other digits. */
const partBehind = /^(?:(?:st|nd|rd|th)\b|[:,.]\d|\+(?![\s\w(])|\s*\?)/u;

/** Whether a number is only a part of something else. */
function isPart(text: string, { start, end, value }: NumberInText, exact: boolean): boolean {
  const [before, behind] = [text.slice(Math.max(0, start - 60), start), text.slice(end, end + 60)];
  return (
    value === null ||
    partBehind.test(behind) ||
    (/[([{]\s*$/u.test(before) && /^\s*,/u.test(behind)) ||
    (exact && behind.startsWith("!") && !/\p{L}{2}/u.test(text))
  );
}

/** How a number relates to the next one. */
type Relation = "calculation" | "equals" | "alternative" | "list" | "of" | null;

const joint = new RegExp(
  String.raw`^[\s)]*(?<unit>[\p{L}%°]*)[\s)]*(?:(?<or>,?\s*\(?\s*(?:${conjunction}|(?<!\p{L})(?:to|bis|à)(?!\p{L})|[~;?&\u2013]|,(?=\s*(?:maybe|perhaps)))(?:\s*(?:maybe|perhaps))?)|(?<operator>[-+*×·÷]|(?<!\p{L})(?:x|times|plus|minus|over|divided by|multiplied by)(?!\p{L}))|(?<comma>,))[\s($€£¥]*$`,
  "iu",
);

function relationOf(text: string, first: NumberInText, second: NumberInText): Relation {
  const between = text.slice(first.end, second.start).replaceAll(/\\(?:text|mathrm|mbox)\s*|[{}$\\]/gu, " ");
  if (
    /=\s*[\s$€£¥(]*$/u.test(between) &&
    !/[,;.\n]|\b(?:where|when|since|because|as|for|if|with|given)\b/iu.test(between)
  )
    return "equals";
  if (/^\s*(?:\p{L}+\s+)?of\s+(?:the|all|every|those)\s*$/iu.test(between)) return "of";
  if (/^\s?%?\s*(?:percent\s+)?of\s+$/iu.test(between)) return "calculation";
  if (/^\s*\p{L}+\s+of\s+$/iu.test(between)) return "of";
  const { unit = "", or, operator, comma } = joint.exec(between)?.groups ?? {};
  if (operator !== undefined) return "calculation";
  if (or === undefined && comma === undefined) return null;
  const after = /^\s*([\p{L}%]+)/u.exec(text.slice(second.end))?.[1] ?? "";
  const currencies = [text.slice(0, first.end), text.slice(first.end, second.end)].map((part) => /[$€£¥]/u.test(part));
  // 120 minutes or 2 hours is one quantity; 120 or 130 minutes are two.
  const same = unit === "" ? currencies[0] === true || currencies[1] === false : unit === after;
  return same && !equal(first.value, second.value) ? (or === undefined ? "list" : "alternative") : null;
}

function equal(a: string | null, b: string | null): boolean {
  return a !== null && b !== null && new Fraction(a).equals(new Fraction(b));
}

const remark = /\(\s*(?:about|approximately|approx\.|roughly|around|or|i\.e\.,?|that is,?|[≈~])\s*[$€£¥]?$/iu;
const longest = 10_000;

/**
 * The number that a part of a reply gives as the answer.
 * @param from - which number answers: the first of a clause, or the last of a text
 * @param lists - whether numbers behind commas are further answers, as after `####`
 */
export function oneNumber(part: string, from: "first" | "last", lists: boolean): Reading {
  const text = from === "first" ? part.slice(0, longest) : part.slice(-longest);
  const all = numbersIn(text, from === "first");
  let index = from === "first" ? 0 : all.length - 1;
  const relation = (i: number): Relation => {
    const [a, b] = [all[i], all[i + 1]];
    return a && b ? relationOf(text, a, b) : null;
  };
  if (from === "last") {
    // "18, not 20", "150 km (about 93 miles)" and "5 of the 12" say the first.
    const isSecondary = (i: number): boolean =>
      (isDeniedAt(text, all[i] as NumberInText) && !/[.\n]/u.test(gap(text, all, i - 1))) ||
      remark.test(gap(text, all, i - 1));
    while (index > 0 && isSecondary(index)) index -= 1;
    if (relation(index - 1) === "of") index -= 1;
  } else
    for (let i = 0; ["equals", "calculation"].includes(relation(i) ?? ""); i++)
      if (relation(i) === "equals") index = i + 1;
  const found = all[index];
  if (!found) return null;
  const several = (i: number): boolean => {
    const how = relation(i);
    return how === "alternative" || how === "calculation" || (how === "list" && (lists || several(i + 1)));
  };
  const isJoined = several(from === "first" ? index : index - 1);
  const isBound = boundBefore.test(text.slice(Math.max(0, found.start - 24), found.start));
  const isOpen = isBound || openEnded.test(text.slice(found.end));
  return isJoined || isOpen || isDeniedAt(text, found) || isPart(text, found, lists) ? false : found.value;
}

function isDeniedAt(text: string, { start, end }: NumberInText): boolean {
  return isDenied(text, start, end);
}

function gap(text: string, all: readonly NumberInText[], i: number): string {
  return text.slice(all[i]?.end, all[i + 1]?.start);
}

/**
 * The numbers of a text, in its order.
 * @param words - whether numbers in words count although the text has digits
 */
function numbersIn(text: string, words: boolean): readonly NumberInText[] {
  const inDigits = proseExpressions(text, [])
    .filter(({ start, end }) => /\p{N}/u.test(text.slice(start, end)))
    .map(({ start, end, text: expression }) => withPart(text, { start, end, value: numberOf(expression) }));
  if (inDigits.length > 0 && !words) return inDigits;
  const inWords = wordNumbersIn(text).filter(
    ({ start, end }) => !inDigits.some((number) => number.start < end && start < number.end),
  );
  return [...inDigits, ...inWords].toSorted((a, b) => a.start - b.start);
}

/** "2 and a half" is 5/2. */
function withPart(text: string, number: NumberInText): NumberInText {
  const [all, part = ""] =
    /^\s+and\s+((?:an?|one|two|three|four)[\s-]\p{L}+)/iu.exec(text.slice(number.end, number.end + 40)) ?? [];
  const value = part === "" ? null : numberOfWords(part);
  if (value === null || !value.includes("/") || number.value === null) return number;
  return { ...number, value: new Fraction(number.value).add(value).toFraction(), end: number.end + (all ?? "").length };
}

/** A sum or product that is not worked out. */
const calculation = /[\d)]\s*(?:[-+*×·÷x\u2212]|\\(?:times|cdot|div))\s*[\d(]/u;

/** The number that an expression is, or an equation comes to; null of anything else. */
function numberOf(expression: string): string | null {
  const value = readValue(expression.replace(/(?<=^[-+]?[\d.,]+)k$/iu, "\\text{ thousand}"));
  const isEquation = value?.kind === "relation" && value.relators.every((each) => each === "=");
  const said = isEquation ? (value.assigned ?? value.sides.at(-1)) : value;
  if (said?.kind !== "scalar" || said.text.includes(":")) return null;
  const digits = said.text.replaceAll(/[, +]/gu, "");
  if (/^-?(?:\d+|\d*\.\d+)$/u.test(digits)) return digits;
  const parsed = said.exact || calculation.test(expression.split("=").at(-1) ?? "") ? null : parseExpression(said.text);
  const exact = said.exact ?? (parsed === null ? null : exactValue(parsed));
  return exact && (said.percent === "latex" ? exact.mul(100) : exact).toFraction();
}
