import { wordTable } from "@laconic/core";
import { Fraction } from "fraction.js";
import { numberOfWords, wordNumbersIn } from "./number-words.ts";

/** A number of a text; `value` is null where its digits are not one number, such as `1,23,4567`. */
export interface NumberInText {
  readonly value: string | null;
  readonly start: number;
  readonly end: number;
}

const digits = String.raw`(?:\d{1,3}(?: \d{3})+(?!\d)(?:[.,]\d+)?|\d+(?:[.,]\d+)*|\.\d+)`;
const raised = String.raw`\s?(?:\^|\*\*)\s?[({]?(?<EXPONENT>[-+]?\d+)[)}]?`;
const numberPattern = new RegExp(
  String.raw`(?<![\p{Script=Latin}\d_.]|\d,|\p{L}\^\{?)(?<sign>(?<!(?:[\d)}%!]|(?<!\p{L})\p{L}\s)\s?|\n[ \t]*(?=[-+]\s))[-+\u2013])?\s?(?:\\?[$€£¥₹₩])?\s?(?<sign2>-)?` +
    String.raw`(?:(?<whole>\d+)\s+(?<over>\d+)\s?\/\s?(?<under>\d+)(?![\d.])|(?<number>${digits})` +
    String.raw`(?:[eE](?<e>[-+]?\d+)(?![\w.])|${raised.replace("EXPONENT", "exponent")}|\s?[×x*·]\s?10${raised.replace("EXPONENT", "tens")}|\s?\/\s?(?<divisor>${digits})(?![\d\/]))?)` +
    String.raw`(?:\s(?<scale>hundred|thousand|million|billion|trillion|dozen|lakh|crore)(?!\p{L})|(?<k>k)(?![\w]))?`,
  "giu",
);
const scales: Readonly<Record<string, number>> = wordTable({
  hundred: 100,
  thousand: 1e3,
  million: 1e6,
  billion: 1e9,
  trillion: 1e12,
  dozen: 12,
  lakh: 1e5,
  crore: 1e7,
});
/** Larger exponents are not written out. */
const largestExponent = 400;
/** What the digits of one number look like, and what its decimal sign is. Anything else is several numbers. */
const writings: readonly (readonly [RegExp, "." | ","])[] = [
  [/^\d*(?:\.\d+)?$/u, "."],
  [/^[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?$/u, "."],
  [/^\d{1,3}(?:\.\d{3}){2,}(?:,\d+)?$|^\d{1,3}\.\d{3},\d{1,2}$/u, ","],
  [/^\d{1,3}(?: \d{3})+(?:\.\d+)?$/u, "."],
  [/^\d{1,3}(?: \d{3})+,\d+$|^\d+,(?:\d{1,2}|\d{4,})$|^0,\d+$/u, ","],
];
const superscript = /(?<=\d)[\u207a\u207b]?[\u2070\u00b9\u00b2\u00b3\u2074-\u2079]+/gu;

/** A text with numbers and operators as they are typed: digits of ASCII, `^`, `×` and `a/b` instead of LaTeX and signs. */
export function plainNumbers(text: string): string {
  const typed = text
    .replaceAll("\u2212", "-")
    .replaceAll(superscript, (digitsAbove) => `^${digitsAbove.normalize("NFKC").replace("\u2212", "-")}`)
    .replaceAll(/[\u00bc-\u00be\u2150-\u215e]/gu, (part) => ` ${part.normalize("NFKC").replace("\u2044", "/")}`)
    .replaceAll(/[\u0660-\u0669\u06f0-\u06f9\u0966-\u096f]/gu, (digit) => {
      const code = digit.codePointAt(0) as number;
      return String((code & 15) - (code >= 0x966 ? 6 : 0));
    });
  if (!typed.includes("\\")) return typed;
  return typed
    .replaceAll(/\\[!,;](?!\d{3})|\{,\}|\\[()[\]]/gu, " ")
    .replaceAll(/\\[,!]/gu, "")
    .replaceAll(/\\([$%])/gu, "$1")
    .replaceAll(/\\(times|cdot|div)(?![a-z])/gu, (_, name: string) => ({ times: "×", cdot: "·" })[name] ?? "÷")
    .replaceAll(/\\[dtc]?frac\s*(?:\{(\d+)\}\s*\{(\d+)\}|(\d)\s*(\d))/gu, " $1$3/$2$4");
}

/**
 * The numbers of a text that `plainNumbers` returned, in its order.
 * @param words - whether numbers in words count although the text has digits
 */
export function numbersIn(text: string, words: boolean): readonly NumberInText[] {
  const inDigits = [...text.matchAll(numberPattern)].map((match): NumberInText => {
    const [start, end] = [match.index, match.index + match[0].length];
    const value = valueOf(match.groups as Groups);
    const negated = /(?<!\p{L})(?:negative|minus|menos|moins)\s+$/iu.test(text.slice(Math.max(0, start - 10), start));
    return withPart(text, {
      value: negated && value !== null && !value.startsWith("-") ? `-${value}` : value,
      start,
      end,
    });
  });
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

type Groups = Readonly<Record<string, string | undefined>>;

/** As a program writes it: no currency, no thousands, no spaces. */
function valueOf({
  sign,
  sign2,
  whole,
  over,
  under,
  number,
  divisor,
  e,
  exponent,
  tens,
  scale,
  k,
}: Groups): string | null {
  const minus = sign === "-" || sign === "\u2013" || sign2 !== undefined ? "-" : "";
  if (whole !== undefined) {
    if (Number(under) === 0) return null;
    return `${minus}${new Fraction(whole).add(new Fraction(`${over}/${under}`)).toFraction()}`;
  }
  const plain = plainDigits(number ?? "");
  const under2 = divisor === undefined ? "1" : plainDigits(divisor);
  if (plain === null || under2 === null || Number(under2) === 0) return null;
  const power = Number(exponent ?? tens ?? e ?? 0);
  if (Math.abs(power) > largestExponent) return null;
  if ((divisor ?? scale ?? k ?? exponent ?? tens ?? e) === undefined) return `${minus}${plain}`;
  const mantissa = new Fraction(plain);
  if (exponent !== undefined && (mantissa.equals(0) || plain.length > 20)) return null;
  const result = exponent === undefined ? mantissa.mul(new Fraction(10).pow(power)) : mantissa.pow(power);
  const factor = k === undefined ? (scales[scale?.toLowerCase() ?? ""] ?? 1) : 1000;
  return `${minus}${result.div(under2).mul(factor).toFraction()}`;
}

function plainDigits(digitsOf: string): string | null {
  const point = writings.find(([writing]) => writing.test(digitsOf))?.[1];
  if (point === undefined) return null;
  return point === "." ? digitsOf.replaceAll(/[, ]/gu, "") : digitsOf.replaceAll(/[. ]/gu, "").replace(",", ".");
}
