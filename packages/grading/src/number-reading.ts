import { Fraction } from "fraction.js";
import { conjunction, isDenied } from "./reply/answer-cues.ts";
import { numbersIn, type NumberInText as Found } from "./reply/numbers-in-text.ts";

/** A number as a program writes it (`-12.5`, `3/4`); null without a number, false where no single number is given. */
export type Reading = string | false | null;

/** What stands in front of a number that bounds the answer. */
const boundBefore =
  /(?:\b(?:at\s+(?:least|most)|(?:more|less|greater|fewer|higher|lower)\s+than|above|below|over|under|between|up\s+to|from)|(?<![\w"/])[<>]|[≤≥≠±]|\\(?:pm|mp|neq?|leq?|geq?|lt|gt))[\s$*:]*$/iu;
/** What stands behind a number that is an end of a range alone: `6 or more`, `6 points or fewer`. */
export const openEnded: RegExp =
  /^[\s$*})]*(?:\\text\s*\{\s*)?(?:(?!or\b)\p{L}+\s+)?or\s+(?:more|less|fewer|greater|larger|smaller|higher|lower|above|below|over|under|so)\b/iu;

const functions = "log|ln|lg|exp|sqrt|sin|cos|tan|max|min|gcd|lcm|abs|floor|ceil|round|mod";
/** A number behind these is an operand or an argument. */
const operandBefore = new RegExp(
  String.raw`(?:[\d)\]}]|(?<!\p{L})[\p{L}]|(?<=\d)\p{Ll})\s*(?:[-+*/×·÷^]|\*\*)\s*[({]?$|[√∛^_÷×·]\s*[({]?$|\\(?!text|mathrm|mbox)[a-z]+(?:\[\d+\])?\s*\{$|(?<!\p{L})(?:${functions})\s*$|(?<!\p{L})(?:${functions}|[a-z])\([^()]*$`,
  "iu",
);
/** A number in front of these is an operand, an ordinal, a time or one of several parts. */
const operandBehind = new RegExp(
  String.raw`^(?:\s*(?:[-+*/×·÷]|\*\*)\s*(?:[(\d√π]|\\[a-z]|\p{L}+\(|(?![a-z]\s*\d?\s?=)\p{L}(?![\p{L}'’]))|\s?\^(?!\s*\{?\\circ)|\s*[√π]|\+(?![\s\w(])|\+$|\(\w|:\d|%\s?\d|\.\d` +
    String.raw`|(?:st|nd|rd|th)\b|[a-zB-EG-IMO-TX-Z](?<![mgshlkdtLJNWVAKCF])(?![\p{L}°])|(?:${functions}|pi)(?!\p{L})|\s*(?:[≤≥≠±?]|[<>](?![\/\p{L}])|per\s+\d|(?:choose|mod)\b|of\s+(?!a\s+\p{L})\p{L}(?![\p{L}'’]))` +
    String.raw`|\s*\\(?!text|mathrm|quad|qquad|circ|degree)[a-z])`,
  "u",
);

/** Whether a number is only a part of something else. */
function isPart(text: string, { start, end, value }: Found, exact: boolean): boolean {
  const [before, behind] = [text.slice(Math.max(0, start - 60), start), text.slice(end, end + 60)];
  return (
    value === null ||
    operandBefore.test(before) ||
    operandBehind.test(behind) ||
    (/[([{]\s*$/u.test(before) && /^\s*,/u.test(behind)) ||
    (before.endsWith("|") && behind.startsWith("|")) ||
    (exact && behind.startsWith("!") && !/\p{L}{2}/u.test(text))
  );
}

/** How a number relates to the next one. */
type Relation = "calculation" | "equals" | "alternative" | "list" | "of" | null;

const joint = new RegExp(
  String.raw`^[\s)]*(?<unit>[\p{L}%°]*)[\s)]*(?:(?<or>,?\s*\(?\s*(?:${conjunction}|(?<!\p{L})(?:to|bis|à)(?!\p{L})|[~;?&\u2013]|,(?=\s*(?:maybe|perhaps)))(?:\s*(?:maybe|perhaps))?)|(?<operator>[-+*×·÷/^:]|\*\*|(?<!\p{L})(?:x|times|plus|minus|over|divided by|multiplied by)(?!\p{L}))|(?<comma>,))[\s($€£¥]*$`,
  "iu",
);

function relationOf(text: string, first: Found, second: Found): Relation {
  const between = text.slice(first.end, second.start).replaceAll(/\\(?:text|mathrm|mbox)\s*|[{}$\\]/gu, " ");
  if (
    /=\s*[\s$€£¥(]*$/u.test(between) &&
    !/[,;.\n]|\b(?:where|when|since|because|as|for|if|with|given)\b/iu.test(between)
  )
    return "equals";
  if (/^\s*(?:\p{L}+\s+)?of\s+(?:the|all|every|those)\s*$/iu.test(between)) return "of";
  if (/^\s?%?\s*(?:percent\s+)?of\s+$/iu.test(between)) return "calculation";
  if (/^\s*\p{L}+\s+of\s+$/iu.test(between)) return "of";
  if (between.trim() === "" && /^\s?[-+\u2013]/u.test(text.slice(second.start))) return "calculation";
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
      (isDeniedAt(text, all[i] as Found) && !/[.\n]/u.test(gap(text, all, i - 1))) ||
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
  const [pair, joined] = from === "first" ? [index, several(index)] : [index - 1, several(index - 1)];
  const [first, second] = [all[pair], all[pair + 1]];
  const together = first && second ? compoundOf(text, first, second) : null;
  if (isDeniedAt(text, found) || boundBefore.test(text.slice(Math.max(0, found.start - 24), found.start))) return false;
  if (together !== null) return all.length > 2 && from === "first" ? false : together;
  return joined || isPart(text, found, lists) || openEnded.test(text.slice(found.end)) ? false : found.value;
}

function isDeniedAt(text: string, { start, end }: Found): boolean {
  return isDenied(text, start, end);
}

function gap(text: string, all: readonly Found[], i: number): string {
  return text.slice(all[i]?.end, all[i + 1]?.start);
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
