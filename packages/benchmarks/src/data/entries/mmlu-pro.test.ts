import { expect, test } from "vitest";
import { readRow } from "../row-schema.ts";
import { mmluPro } from "./mmlu-pro.ts";

const row = {
  question_id: 70,
  question: "Which letter is tenth?",
  options: ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"],
  answer: "J",
  answer_index: 9,
  cot_content: "A: Let's think step by step. Count to ten. The answer is (J).",
  category: "letters",
  src: "own",
};

test("ten options, the letters that a question has, and a solution without its frame", () => {
  expect(readRow(mmluPro.row, row)).toEqual({
    problem: {
      id: "mmlu-pro/70",
      question: row.question,
      gold: "J",
      choices: row.options,
      grading: { kind: "letter", letters: "ABCDEFGHIJ" },
      metadata: { category: "letters" },
      solution: "Count to ten.",
    },
  });
  const four = { ...row, options: ["a", "b", "c", "N/A", "N/A"], answer: "B", answer_index: 1, cot_content: "" };
  expect(readRow(mmluPro.row, four)).toMatchObject({
    problem: { choices: ["a", "b", "c"], grading: { letters: "ABC" } },
  });
});

test.for([
  [{ answer: "I" }, 'answer: answer is "I", and option 9 of 10 is not of that letter'],
  [{ answer: "K", answer_index: 10 }, 'answer: answer is "K"'],
  [{ options: ["N/A", ...row.options.slice(1)] }, "answer: "],
  [{ options: [...row.options, "k"] }, "options: "],
  [{ category: "" }, "category: "],
] as const)("%j is refused by its key", ([change, reason]) => {
  expect(readRow(mmluPro.row, { ...row, ...change })).toMatchObject({
    reason: expect.stringContaining(reason) as string,
  });
});
