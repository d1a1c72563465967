import type { ChatMessage } from "@laconic/core";
import type { Exemplar } from "./baseline.ts";
import { workedReply } from "./choose-shots.ts";
import type { Family, Shots } from "./protocol.ts";

/** An answer as a hint has it: letters in parentheses, numbers without trailing zeros, all else as it is. */
export function hinted(answer: string, family: Family | undefined): string {
  if (family === "choice") return `(${answer})`;
  return /^-?\d+\.\d+$/u.test(answer) ? answer.replace(/\.?0+$/u, "") : answer;
}

/** A question with the hint behind it, before which there are earlier answers. */
export function withHint(question: string, hints: readonly string[]): string {
  return `${question}\n\n(Hint: the answer is near to ${hints.join(", ")}.)`;
}

/**
 * Examples whose questions carry hints, some right and some wrong, and whose replies name the hints before they solve the question. Wrong
 * hints are the answers of other examples: they look like answers to such questions.
 */
export function hintMessages(
  { hints = [["right"]] }: Shots,
  exemplars: readonly Exemplar[],
  family: Family | undefined,
): ChatMessage[] {
  return exemplars.flatMap((exemplar, i): ChatMessage[] => {
    const others = [...exemplars.slice(i + 1), ...exemplars.slice(0, i)].map(({ answer }) => answer);
    const wrong = [...new Set(others)].filter((answer) => answer !== exemplar.answer).values();
    const kinds = hints[i % hints.length] ?? [];
    const given = kinds.flatMap((kind) => (kind === "right" ? exemplar.answer : (wrong.next().value ?? [])));
    const shown = (given.length > 0 ? given : [exemplar.answer]).map((answer) => hinted(answer, family));
    return [
      { role: "user", content: withHint(exemplar.question, shown) },
      {
        role: "assistant",
        content: `The hints are ${shown.join(", ")}. I keep them in mind and work it out.\n${workedReply(exemplar)}`,
      },
    ];
  });
}
