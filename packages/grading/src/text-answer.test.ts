import { expect, test } from "vitest";
import { extractText, gradeText } from "./text-answer.ts";

test.each([
  ["I think of France.\n#### Paris", "Paris", "after ####"],
  ["#### Rome\nno:\n#### **Paris**.", "Paris", "after ####"],
  ["so \\boxed{\\text{New  York}}", "New York", "boxed"],
  ['The answer is "Paris".\nGood luck!', "Paris", "after the answer trigger"],
  ["Answer: U.S. Army", "U.S. Army", "after the answer trigger"],
  [" Paris. ", "Paris", "the reply is one line"],
])("%j gives %j", (reply, answer, rule) => {
  expect(extractText(reply)).toEqual({ answer, rule });
});

test.each(["", " \n ", "####", "Paris is nice.\nSo is Rome.", "The answer is\nhard to find"])(
  "%j gives none",
  (reply) => {
    expect(extractText(reply)).toBeNull();
  },
);

test("composition and white space do not count, case does by default", () => {
  expect(gradeText("#### Cafe\u0301  Noir", "Caf\u00e9 Noir").correct).toBe(true);
  expect(gradeText("#### paris", "Paris").correct).toBe(false);
  expect(gradeText("#### paris", "Paris", { ignoreCase: true }).correct).toBe(true);
  expect(gradeText("#### Paris.", '"Paris"').correct).toBe(true);
});

test("an answer that merely mentions the gold, or quotes the question, is wrong", () => {
  expect(gradeText("Is it Paris or Rome?\nIt could be Paris.", "Paris").correct).toBe(false);
  expect(gradeText("#### Paris or Rome", "Paris").correct).toBe(false);
  expect(gradeText("#### ", "").correct).toBe(false);
  expect(gradeText("The answer is not Paris", "Paris").correct).toBe(false);
});
