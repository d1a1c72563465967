import type { AnswerKind } from "./grading.ts";
import { extractLetter } from "./letter-answer.ts";
import { findAnswers } from "./maths/reading/find-answers.ts";
import { gradeMaths } from "./maths/grade-maths.ts";
import { extractNumber, gradeNumber } from "./number-answer.ts";
import { extractText, gradeText } from "./text-answer.ts";

/** Reads answers without the gold, for votes and stop rules. */
export interface AnswerReading {
  /** Null without an answer. */
  read(reply: string): string | null;
  same(a: string, b: string): boolean;
}

/** Reader and format of answers. */
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

const program = (answer: string): string => `\`\`\`python\n${answer}\n\`\`\``;
const marked = (answer: string): string => `#### ${answer}`;
const forms: Readonly<Record<AnswerKind["kind"], readonly [form: string, line: (answer: string) => string]>> = {
  numeric: ['End with a line "#### N", where N is the number.', marked],
  letter: ['End with "The answer is X", where X is the letter.', (answer) => `The answer is ${answer}`],
  maths: ["Put the final answer into \\boxed{}.", (answer) => `\\boxed{${answer}}`],
  text: ['End with a line "#### TEXT", where TEXT is the answer alone.', marked],
  code: ["Reply with the complete function in one Python code block.", program],
  program: ["Reply with the complete program in one Python code block.", program],
  writing: ["Reply with the text alone.", (answer) => answer],
};

/** Format that the grader reads. */
export function answerForm({ kind }: AnswerKind): string {
  return forms[kind][0];
}

/** Answer in this format. */
export function answerLine({ kind }: AnswerKind, answer: string): string {
  return forms[kind][1](answer);
}
