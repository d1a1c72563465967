import type { AnswerKind } from "./grading.ts";
import { extractLetter } from "./letter-answer.ts";
import { findAnswers } from "./maths/reading/find-answers.ts";
import { gradeMaths } from "./maths/grade-maths.ts";
import { extractNumber, gradeNumber } from "./number-answer.ts";
import { extractText, gradeText } from "./text-answer.ts";

/** Reads answers without knowing the right one: what votes and stop rules compare. */
export interface AnswerReading {
  /** The answer that a reply gives; null when it gives none. */
  read(reply: string): string | null;
  /** Whether two answers are the same. */
  same(a: string, b: string): boolean;
}

/** How answers of a benchmark are read and compared. */
export function answerReading(grading: AnswerKind): AnswerReading {
  switch (grading.kind) {
    case "numeric":
      return { read: (reply) => extractNumber(reply)?.answer ?? null, same: (a, b) => gradeNumber(a, b).correct };
    case "letter":
      return { read: (reply) => extractLetter(reply, grading.letters)?.answer ?? null, same: (a, b) => a === b };
    case "maths":
      return {
        read: (reply) => findAnswers(reply, { latex: true, plain: true })[0]?.text ?? null,
        same: (a, b) => gradeMaths(a, b, { bareGold: true, bareReply: true }).correct,
      };
    case "text":
      return { read: (reply) => extractText(reply)?.answer ?? null, same: (a, b) => gradeText(a, b, grading).correct };
    case "code":
    case "program":
    case "writing":
      return { read: (reply) => (reply.trim() === "" ? null : reply.trim()), same: (a, b) => a === b };
  }
}

/** How an answer has to be written so that the benchmark's grader reads it. */
export function answerForm(grading: AnswerKind): string {
  switch (grading.kind) {
    case "numeric":
      return 'End with a line "#### N", where N is the number.';
    case "letter":
      return 'End with "The answer is X", where X is the letter.';
    case "maths":
      return "Put the final answer into \\boxed{}.";
    case "text":
      return 'End with a line "#### TEXT", where TEXT is the answer alone.';
    case "code":
      return "Reply with the complete function in one Python code block.";
    case "program":
      return "Reply with the complete program in one Python code block.";
    case "writing":
      return "Reply with the text alone.";
  }
}

/** An answer written as {@link answerForm} demands: how the reply of a worked example ends. */
export function answerLine(grading: AnswerKind, answer: string): string {
  switch (grading.kind) {
    case "numeric":
    case "text":
      return `#### ${answer}`;
    case "letter":
      return `The answer is ${answer}`;
    case "maths":
      return `\\boxed{${answer}}`;
    case "code":
    case "program":
      return `\`\`\`python\n${answer}\n\`\`\``;
    case "writing":
      return answer;
  }
}
