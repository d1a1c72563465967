import { Fraction } from "fraction.js";
import { cuesIn, withoutDenied } from "./reply/answer-cues.ts";
import { boxesIn, lastBoxed } from "./reply/boxes.ts";
import { numberOfWords } from "./reply/number-words.ts";
import { oneNumber, type Reading } from "./number-reading.ts";
import { readReply } from "./reply/read-reply.ts";
import { readCurrent } from "./reply/retraction.ts";
import { noAnswer, type Extracted, type Verdict } from "./verdict.ts";

/** A mark with nothing behind it, or in front of words or of a number such as `2.` or `2)`, is a heading. */
const mark = /####[ \t]*((?:[^\p{L}\d\n]|\\[a-z]{1,12}\b){0,12}\d(?!\d*[.)][ \t]+\S)[^\n]*)/gu;

/**
 * The number that a reply gives: after `####`, in the last box, after the last "answer is", or the last one there is.
 * @returns null when it holds none, or where there are several, a range, a part of an expression, or a number that is denied
 */
export function extractNumber(reply: string): Extracted | null {
  return readCurrent(withoutDenied(readReply(reply)), numberOf);
}

function numberOf(text: string): Extracted | null {
  const places: readonly (readonly [rule: string, read: () => Reading])[] = [
    ["after ####", () => markedNumber(text)],
    ["boxed", () => boxedNumber(text)],
    ["after the answer trigger", () => announcedNumber(text)],
    ["last number", () => oneNumber(text, "last", !/\p{L}{3}/u.test(text))],
  ];
  for (const [rule, read] of places) {
    const answer = read();
    if (answer !== null) return answer === false ? null : { answer, rule };
  }
  return null;
}

function markedNumber(text: string): Reading {
  const marked = [...text.matchAll(mark)].at(-1)?.[1];
  if (marked !== undefined) return oneNumber(lastBoxed(marked) ?? marked, "first", true);
  const last = text.lastIndexOf("####");
  return last === -1
    ? null
    : numberOfWords(
        lineAt(text, last + 4)
          .trim()
          .replace(/\.$/u, ""),
      );
}

function lineAt(text: string, start: number): string {
  return text.slice(start).split("\n", 1)[0] ?? "";
}

/** What the last box says, up to the end of its line when its brace never closes. Boxes joined by "or" say several things. */
function boxedNumber(text: string): Reading {
  const [last, before] = boxesIn(text).toReversed();
  if (!last) return null;
  const inside = oneNumber(lastBoxed(text) ?? last.text, "first", true);
  const isJoined = before && /^\$?\s*(?:,\s*)?(?:or|and)\s*\$?$/u.test(text.slice(before.end, last.start));
  return isJoined && oneNumber(before.text, "first", true) !== inside ? false : inside;
}

const mostCues = 20;
const longestClause = 300;
const sentenceEnd = /(?<=\S)[.।](?=\s|$|\p{Lo})|\n|<\//u;

/** The number of the last clause behind a cue that has one. A result counts where no later number follows. */
function announcedNumber(text: string): Reading {
  for (const also of [undefined, "result"] as const)
    for (const { end } of cuesIn(text, also).slice(-mostCues).toReversed()) {
      const [clause = ""] = text.slice(end, end + longestClause).split(sentenceEnd, 1);
      const reading = oneNumber(clause, "first", false);
      if (also === "result" && /\d/u.test(text.slice(end + clause.length))) return null;
      if (reading !== null) return reading;
    }
  return null;
}

/**
 * Judges a reply whose gold is a number, exactly: 20.00 is 20, 1,000 is 1000, and 3/4 is 0.75. Equal texts are equal.
 * @param gold - a number, or a worked solution that ends in `#### number`
 */
export function gradeNumber(reply: string, gold: string): Verdict {
  const same = reply.trim() === gold.trim() && gold.trim() !== "";
  const extracted = extractNumber(reply);
  const wanted = extractNumber(gold);
  if (same && !wanted) return { correct: true, extracted: gold.trim(), rule: "the same text", certainty: "exact" };
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
