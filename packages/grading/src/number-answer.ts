import { Fraction } from "fraction.js";
import { exactValue } from "./maths/numbers/exact-value.ts";
import { denied, findAnswers } from "./maths/reading/find-answers.ts";
import { parseExpression } from "./maths/reading/parse-expression.ts";
import { proseExpressions } from "./maths/reading/prose-expressions.ts";
import { readValue } from "./maths/reading/read-value.ts";
import { isDenied, isUnsaid } from "./reply/answer-cues.ts";
import { wordNumbersIn } from "./reply/number-words.ts";
import { readReply } from "./reply/read-reply.ts";
import { noAnswer, textVerdict, type Extracted, type Verdict } from "./verdict.ts";

/**
 * Number after `####`, in the last box, after the last "answer is", or the last one; null for none, several, a range,
 * part of an expression, or a denied number.
 */
export function extractNumber(reply: string): Extracted | null {
  for (const { text, rule } of findAnswers(reply, { latex: true, plain: true })) {
    const answer = numberOf(text) ?? onlyNumber(text);
    if (answer !== null) return { answer, rule };
    if (text === denied || (/\p{N}/u.test(text) && rule !== "the whole text")) return null;
  }
  const text = readReply(reply);
  const inWords = /\p{N}/u.test(text) ? [] : wordNumbersIn(text).toReversed();
  const [last, before] = inWords.filter(({ start, end }) => !isDenied(text, start, end));
  const isGuess = last && before && /^,?\s+(?:or|to)\s+$/u.test(text.slice(before.end, last.start));
  return last && !isGuess ? { answer: last.value, rule: "last number" } : null;
}

/** Null for none or several. */
function onlyNumber(text: string): string | null {
  const [only, ...others] = proseExpressions(text, []).filter(({ start, end }) =>
    /\p{N}/u.test(text.slice(start, end)),
  );
  return only && others.length === 0 && !isUnsaid(text, only.start, only.end) ? numberOf(only.text) : null;
}

const calculation = /[\d)]\s*(?:[-+*×·÷x\u2212]|\\(?:times|cdot|div))\s*[\d(]/u;

/** Expression or equation; null for others. */
function numberOf(expression: string): string | null {
  const value = readValue(expression.replace(/(?<=^[-+]?[\d.,]+)k$/iu, "\\text{ thousand}"));
  const isEquation = value?.kind === "relation" && value.relators.every((relator) => relator === "=");
  const reply = isEquation ? (value.assigned ?? value.sides.at(-1)) : value;
  if (reply?.kind !== "scalar" || reply.text.includes(":")) return null;
  const digits = reply.text.replace(/^\+/u, "").replaceAll(/(?<=\d)[, ](?=\d{3}(?!\d))/gu, "");
  if (/^-?(?:\d+|\d*\.\d+)$/u.test(digits)) return digits;
  const parsed =
    reply.exact || calculation.test(expression.split("=").at(-1) ?? "") ? null : parseExpression(reply.text);
  const exact = reply.exact ?? (parsed === null ? null : exactValue(parsed));
  return exact && (reply.percent === "latex" ? exact.mul(100) : exact).toFraction();
}

/**
 * Grades exactly: 20.00 is 20, 1,000 is 1000, and 3/4 is 0.75.
 * @param gold - a number, or a worked solution that ends with `#### number`
 */
export function gradeNumber(reply: string, gold: string): Verdict {
  const same = reply.trim() === gold.trim() && gold.trim() !== "";
  const extracted = extractNumber(reply);
  const wanted = extractNumber(gold);
  if (same && !wanted) return { correct: true, extracted: gold.trim(), rule: "the same text", certainty: "exact" };
  if (!extracted) return noAnswer;
  if (!wanted) return { ...noAnswer, extracted: extracted.answer, rule: "the gold holds no number" };
  const [message, right] = [extracted, wanted].map(({ answer }) => new Fraction(answer).toFraction());
  return textVerdict(extracted.answer, `${extracted.rule}, exact number`, [
    { name: `found ${extracted.rule}`, answer: extracted.answer, gold: wanted.answer },
    { name: "exact number", answer: message!, gold: right! },
  ]);
}

/** Rules of lm-evaluation-harness (task gsm8k, version 3). */
export type PublishedNumberRule = "strict-match" | "flexible-extract";

/** Text as in the harness; null without a number. */
export function extractPublishedNumber(reply: string, rule: PublishedNumberRule): Extracted | null {
  if (rule === "strict-match") {
    const marked = /#### (-?[0-9.,]+)/u.exec(reply)?.[1];
    return marked === undefined ? null : { answer: marked, rule: `lm-eval ${rule}` };
  }
  const last = [...reply.matchAll(/-?[$0-9.,]{2,}|-?[0-9]+/gu)].at(-1)?.[0];
  return last === undefined ? null : { answer: last, rule: `lm-eval ${rule}` };
}

/** Equal texts without commas, dollars, a final full stop and text up to `#### `. */
export function gradePublishedNumber(reply: string, gold: string, rule: PublishedNumberRule): Verdict {
  const extracted = extractPublishedNumber(reply, rule);
  if (!extracted) return noAnswer;
  const { answer, rule: match } = extracted;
  return textVerdict(answer, match, [
    { name: `found by ${match}`, answer, gold },
    { name: "text without commas, dollars and the final stop", answer: plainNumber(answer), gold: plainNumber(gold) },
  ]);
}

function plainNumber(text: string): string {
  const marked = text.lastIndexOf("#### ");
  return text
    .slice(marked === -1 ? 0 : marked + 5)
    .replaceAll(/[,$]/gu, "")
    .replace(/\.$/u, "")
    .toLowerCase();
}
