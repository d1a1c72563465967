import { Fraction } from "fraction.js";
import { lastBoxed } from "./reply/last-boxed.ts";
import { numbersIn, oneNumber, type Reading } from "./number-reading.ts";
import { readReply } from "./reply/read-reply.ts";
import { readCurrent } from "./reply/retraction.ts";
import { noAnswer, type Extracted, type Verdict } from "./verdict.ts";

/** The end of what an author says before the answer. */
const trigger = /\banswers?\b\s*(?:is|are|equals|=|:)+\s*:?/giu;

/** A mark with nothing behind it, or in front of words or of a number such as `2.` or `2)`, is a heading. */
const mark = /####[ \t]*((?:[^\p{L}\d\n]|\\[a-z]{1,12}\b){0,12}\d(?!\d*[.)][ \t]+\S)[^\n]*)/gu;

/**
 * The number that a reply gives: after `####`, in the last box, after the last "answer is", or the last one there is.
 * @returns null when it holds none, or where there are several, a range, or a number that is denied
 */
export function extractNumber(reply: string): Extracted | null {
  return readCurrent(readReply(reply).replaceAll("\u2212", "-"), numberOf);
}

function numberOf(text: string): Extracted | null {
  const marked = [...text.matchAll(mark)].at(-1)?.[1];
  const box = lastBoxed(text);
  const clause = clauseAfter(text);
  const places: readonly (() => Reading)[] = [
    () => (marked === undefined ? null : oneNumber(marked.split("=").at(-1) as string, { lists: true })),
    () => boxedNumber(text, box),
    () => (clause === null ? null : oneNumber(clause, { lists: false })),
    () => numbersIn(text).at(-1) ?? null,
  ];
  const rules = ["after ####", "boxed", "after the answer trigger", "last number"] as const;
  for (const [i, place] of places.entries()) {
    const found = place();
    if (found === false) return null;
    if (found !== null) return { answer: found, rule: rules[i] as string };
  }
  return null;
}

/** What the last box says, up to the end of its line when its brace never closes. Boxes joined by "or" say several things. */
function boxedNumber(text: string, box: string | null): Reading {
  if (box === null) {
    const open = /.*\\(?:boxed|fbox)\s*\{([^\n]*)/su.exec(text)?.[1];
    return open === undefined ? null : oneNumber(open, { lists: true });
  }
  const inside = oneNumber(box.split("=").at(-1) ?? "", { lists: true, last: true });
  const before = text.slice(Math.max(0, text.lastIndexOf("\\boxed") - 80), Math.max(0, text.lastIndexOf("\\boxed")));
  const [, other] = /\\boxed\{([^{}]{1,40})\}\$?\s*(?:,\s*)?(?:or|and)\s*\$?$/u.exec(before) ?? [];
  return other !== undefined && oneNumber(other, { lists: true }) !== inside ? false : inside;
}

/** The clause after the last trigger; where it holds an equation, what the last equals sign makes of it. */
function clauseAfter(text: string): string | null {
  const last = [...text.matchAll(trigger)].at(-1);
  if (!last) return null;
  const clause = text.slice(last.index + last[0].length).split(/(?<=\S)\.(?=\s|$)|\n/u)[0] ?? "";
  return clause.split("=").at(-1) ?? null;
}

/**
 * Judges a reply whose gold is a number, exactly: 20.00 is 20, 1,000 is 1000, and 3/4 is 0.75.
 * @param gold - a number, or a worked solution that ends in `#### number`
 */
export function gradeNumber(reply: string, gold: string): Verdict {
  const extracted = extractNumber(reply);
  const wanted = extractNumber(gold);
  if (!extracted) return noAnswer;
  if (!wanted) return { ...noAnswer, extracted: extracted.answer, rule: "the gold holds no number" };
  const [said, right] = [new Fraction(extracted.answer), new Fraction(wanted.answer)];
  return {
    correct: said.equals(right),
    extracted: extracted.answer,
    rule: `${extracted.rule}, exact number`,
    certainty: "exact",
    steps: [
      { name: `found ${extracted.rule}`, answer: extracted.answer, gold: wanted.answer },
      { name: "exact number", answer: said.toFraction(), gold: right.toFraction() },
    ],
  };
}
