import { noAnswer, textVerdict, type Extracted, type Verdict } from "../verdict.ts";

/** Whose published rule for the letter of a multiple-choice reply. */
export type PublishedLetterRule = "qwen-choice" | "dylan" | "llm-debate" | "lm-eval-first" | "lm-eval-last";

/** Extractors of a letter as published code has them, weaknesses included: for comparison with its scores. */
export const publishedLetters: Readonly<Record<PublishedLetterRule, (reply: string) => string | null>> = {
  /** Qwen2.5-Math: upper-cased, so the article "a" is an A. */
  "qwen-choice": (reply: string): string | null => {
    const text = reply.toUpperCase();
    const trigger = [...text.matchAll(/(?:ANSWER|CHOICE) IS/gu)].at(-1);
    if (trigger) {
      const after = /\b[A-E]\b/u.exec(text.slice(trigger.index + trigger[0].length))?.[0];
      if (after !== undefined) return after;
    }
    return [...text.matchAll(/\b[A-E]\b/gu)].at(-1)?.[0] ?? null;
  },
  /** DyLAN: the last `(A)` to `(D)`, else the last `A)` to `D)`; no E. */
  dylan: (reply: string): string | null =>
    [...reply.matchAll(/\(([A-D])\)/gu)].at(-1)?.[1] ?? [...reply.matchAll(/([A-D])\)/gu)].at(-1)?.[1] ?? null,
  /** LLM-Debate: the last single character in parentheses, whatever it is. */
  "llm-debate": (reply: string): string | null => [...reply.matchAll(/\((\w)\)/gu)].at(-1)?.[1] ?? null,
  /** lm-evaluation-harness, generative: the first letter in parentheses, with them. */
  "lm-eval-first": (reply: string): string | null => /\([A-Z]\)/u.exec(reply)?.[0] ?? null,
  "lm-eval-last": (reply: string): string | null => [...reply.matchAll(/\([A-Z]\)/gu)].at(-1)?.[0] ?? null,
};

/** The verdict on a letter that a published extractor finds. */
export function gradePublishedLetter(reply: string, gold: string, rule: PublishedLetterRule): Verdict {
  const letter = publishedLetters[rule](reply);
  if (letter === null) return noAnswer;
  const wanted = gold.trim().toUpperCase();
  return textVerdict(letter, `${rule}'s rule`, [{ name: `letter by ${rule}`, answer: letter, gold: wanted }]);
}

/** How lm-evaluation-harness (task gsm8k, version 3) takes the number out of a reply: for comparison with its scores. */
export type PublishedNumberRule = "strict-match" | "flexible-extract";

/** @returns null when it finds none; the text is as the harness leaves it */
export function extractPublishedNumber(reply: string, rule: PublishedNumberRule): Extracted | null {
  if (rule === "strict-match") {
    const marked = /#### (-?[0-9.,]+)/u.exec(reply)?.[1];
    return marked === undefined ? null : { answer: marked, rule: `lm-eval ${rule}` };
  }
  const last = [...reply.matchAll(/-?[$0-9.,]{2,}|-?[0-9]+/gu)].at(-1)?.[0];
  return last === undefined ? null : { answer: last, rule: `lm-eval ${rule}` };
}

/** The harness's verdict: equality of texts once commas, dollars, a full stop at the end and what precedes `#### ` are gone. */
export function gradePublishedNumber(reply: string, gold: string, rule: PublishedNumberRule): Verdict {
  const extracted = extractPublishedNumber(reply, rule);
  if (!extracted) return noAnswer;
  const { answer, rule: found } = extracted;
  return textVerdict(answer, found, [
    { name: `found by ${found}`, answer, gold },
    { name: "text without commas, dollars and the final stop", answer: plain(answer), gold: plain(gold) },
  ]);
}

function plain(text: string): string {
  const marked = text.lastIndexOf("#### ");
  return text
    .slice(marked === -1 ? 0 : marked + 5)
    .replaceAll(/[,$]/gu, "")
    .replace(/\.$/u, "")
    .toLowerCase();
}
