import { afterAll, expect, test } from "vitest";
import { mathsGrader } from "@laconic/grading";
import { gradeMinerva } from "./published-rules.ts";

const maths = mathsGrader();
afterAll(() => maths.close());

const right = [
  ["$\\frac12$", "\\frac{1}{2}"],
  ["12 \\text{ cm}", "12"],
  ["$1,234$", "1234"],
  ["x=5", "5"],
  ["90^\\circ", "90"],
  ["\\boxed{7}", "7"],
  ["$\\sqrt3$", "\\sqrt{3}"],
  ["36 square feet", "36"],
  // By SymPy in its code.
  ["0.5", "\\frac{1}{2}"],
  ["1+x", "x+1"],
] as const;
const wrong = [
  ["6", "5"],
  ["\\frac{1}{3}", "\\frac{1}{2}"],
  ["0.33", "\\frac{1}{3}"],
  ["(1,2)", "(2,1)"],
] as const;

test("the sentence of its prompt is read, and units, words and spelling do not count", async () => {
  for (const [pairs, correct] of [[right, true] as const, [wrong, false] as const])
    for (const [answer, gold] of pairs)
      expect(
        [
          answer,
          (await gradeMinerva(`So.\nFinal Answer: The final answer is ${answer}. I hope it is correct.`, gold, maths))
            .correct,
        ],
        gold,
      ).toEqual([answer, correct]);
});

test("a reply that only boxes its answer has none, as in its evaluation", async () => {
  expect(await gradeMinerva("\\boxed{5}", "5", maths)).toMatchObject({ correct: false, extracted: null });
});

test("an answer with the other's part is rejected, and the steps name the comparison", async () => {
  const verdict = await gradeMinerva("Final answer: The final answer is 15 units", "15", maths);
  expect(verdict.steps).toEqual([
    { name: "found in the final sentence", answer: "15 units", gold: "15" },
    { name: "normalised as Minerva does", answer: "15", gold: "15" },
  ]);
});
