import { expect, test } from "vitest";
import { gradeHendrycks } from "./published-rules.ts";

const right = [
  ["\\dfrac12", "\\frac{1}{2}"],
  ["0.5", "1/2"],
  ["12\\text{ cm}", "12"],
  ["45\\%", "45"],
  ["x = 7", "7"],
  ["\\sqrt3", "\\sqrt{3}"],
  ["\\left( 1, 2\\right)", "(1,2)"],
  ["90^\\circ", "90"],
] as const;
const wrong = [
  ["2, 1", "1, 2"],
  ["0.25", "\\frac{1}{4}"],
  ["1,000", "1000"],
  ["x+1", "1+x"],
] as const;

test("MATH's grader ignores its spelling differences, and no equal value beyond them", () => {
  const verdicts = (pairs: readonly (readonly [string, string])[]): boolean[] =>
    pairs.map(([answer, gold]) => gradeHendrycks(`So \\boxed{3}. No: \\boxed{${answer}}`, gold).correct);
  expect(verdicts(right)).toEqual(right.map(() => true));
  expect(verdicts(wrong)).toEqual(wrong.map(() => false));
});

test("a reply without a box has no answer", () => {
  expect(gradeHendrycks("The answer is 7.", "7")).toMatchObject({ correct: false, extracted: null });
});
