import { noAnswer, textVerdict, type Verdict } from "@laconic/grading";

/** The letter that Qwen2.5-Math's published code finds: in upper case, so the article "a" is an A. */
export function qwenLetter(reply: string): string | null {
  const text = reply.toUpperCase();
  const trigger = [...text.matchAll(/(?:ANSWER|CHOICE) IS/gu)].at(-1);
  const after = trigger && /\b[A-E]\b/u.exec(text.slice(trigger.index + trigger[0].length))?.[0];
  return after ?? [...text.matchAll(/\b[A-E]\b/gu)].at(-1)?.[0] ?? null;
}

/** The verdict on that letter. */
export function gradeQwenLetter(reply: string, gold: string): Verdict {
  const letter = qwenLetter(reply);
  if (letter === null) return noAnswer;
  const step = { name: "letter by Qwen2.5-Math", answer: letter, gold: gold.trim().toUpperCase() };
  return textVerdict(letter, "Qwen2.5-Math's rule", [step]);
}
