import { Fraction } from "fraction.js";
import { lastBoxed } from "../data/last-boxed.ts";
import { longestReply, noAnswer, type Extracted, type Verdict } from "./verdict.ts";

/** A sign, a currency, digits with or without thousands, decimals. */
const number = /(?<![\w.])[-+]?\s?[$€£¥]?\s?(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.\d+)?|(?<![\w.])[-+]?[$€£¥]?\.\d+/gu;

/** The end of what an author says before the answer. */
const trigger = /\banswers?\b\s*(?:is|are|equals|=|:)+\s*:?/giu;

/** A mark with nothing behind it, or in front of words or of a number such as `2.` or `2)`, is a heading. */
const mark = /####[ \t]*((?:[^\p{L}\d\n]|\\[a-z]{1,12}\b){0,12}\d(?!\d*[.)][ \t]+\S)[^\n]*)/gu;

/**
 * The number that a reply gives: after `####`, in the last box, after the last "answer is", or the last one there is.
 * @returns null when it holds none
 */
export function extractNumber(reply: string): Extracted | null {
  const text = reply.slice(-longestReply).replaceAll("\u2212", "-");
  const box = lastBoxed(text);
  const marked = [...text.matchAll(mark)].at(-1)?.[1];
  const found = (part: string | null | undefined, rule: string, last = false): Extracted | null => {
    const numbers = part ? [...part.replaceAll(/\\[$!,;]|\{,\}/gu, "").matchAll(number)] : [];
    const match = last ? numbers.at(-1) : numbers[0];
    return match ? { answer: plainNumber(match[0]), rule } : null;
  };
  return (
    found(marked, "after ####") ??
    (box === null ? found(openBox(text), "boxed") : found(box, "boxed", true)) ??
    found(clauseAfter(text), "after the answer trigger") ??
    found(text, "last number", true)
  );
}

/** What the last box holds up to the end of its line, when its brace never closes. */
function openBox(text: string): string | null {
  return /.*\\(?:boxed|fbox)\s*\{([^\n]*)/su.exec(text)?.[1] ?? null;
}

/** The clause after the last trigger; where it holds an equation, what the last equals sign makes of it. */
function clauseAfter(text: string): string | null {
  const last = [...text.matchAll(trigger)].at(-1);
  if (!last) return null;
  const clause = text.slice(last.index + last[0].length).split(/(?<=\S)\.(?=\s|$)|\n/u)[0] ?? "";
  return clause.split("=").at(-1) ?? null;
}

/** As a program writes it: no currency, no thousands, no spaces. */
function plainNumber(text: string): string {
  return text.replaceAll(/[,$€£¥\s+]/gu, "");
}

/**
 * Judges a reply whose gold is a number, exactly: 20.00 is 20, and 1,000 is 1000.
 * @param gold - a number, or a worked solution that ends in `#### number`
 */
export function gradeNumber(reply: string, gold: string): Verdict {
  const extracted = extractNumber(reply);
  const wanted = extractNumber(gold);
  if (!extracted) return noAnswer;
  if (!wanted) return { ...noAnswer, extracted: extracted.answer, rule: "the gold holds no number" };
  const correct = new Fraction(extracted.answer).equals(new Fraction(wanted.answer));
  return { correct, extracted: extracted.answer, rule: `${extracted.rule}, exact number`, certainty: "exact" };
}
