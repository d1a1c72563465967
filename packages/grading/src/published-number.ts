import { noAnswer, textVerdict, type Extracted, type Verdict } from "./verdict.ts";

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
