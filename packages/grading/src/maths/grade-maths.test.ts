import { expect, test } from "vitest";
import { gradeMaths } from "./grade-maths.ts";

test("a verdict says where the answer was found, what decided, and how sure that is", () => {
  expect(gradeMaths("So it is $\\boxed{\\frac{2}{4}}$.", "\\frac12")).toEqual({
    correct: true,
    extracted: "\\frac{2}{4}",
    rule: "boxed, exact number",
    certainty: "exact",
    steps: [
      { name: "found: boxed", answer: "\\frac{2}{4}", gold: "\\frac12" },
      { name: "normal form", answer: "\\frac{2}{4}", gold: "\\frac12" },
      { name: "compared as", answer: "exact number", gold: null },
    ],
  });
  expect(gradeMaths("\\boxed{\\sin^2 x}", "1-\\cos^2 x")).toMatchObject({
    rule: "boxed, at sample points",
    certainty: "numeric",
  });
  expect(gradeMaths("\\boxed{\\frac{1}{}", "x")).toMatchObject({ correct: false, certainty: "undecided" });
  expect(gradeMaths("", "x")).toEqual({ correct: false, extracted: null, rule: "no answer", certainty: "undecided" });
});

test.for([
  ["7.1 \\cdot 10^{35}", "7 \\times 10^{35}", 1e34, true],
  ["7.1 \\cdot 10^{35}", "7 \\times 10^{35}", 1e33, false],
  ["0.002, 5.234", "0.003, 5.233", 0.001, true],
  ["0.001, 7.1e35", "7e35, 0.002", [1e34, 0.001], true],
  ["0.001, 7.2e35", "7e35, 0.002", [1e34, 0.001], false],
] as const)("%s is within the benchmark's tolerance of %s", ([reply, gold, tolerance, right]) => {
  expect(gradeMaths(reply, gold, { tolerance }).correct).toBe(right);
});

test("names count by default", () => {
  expect(gradeMaths("$f(y)$", "$f(x)$").correct).toBe(false);
  expect(gradeMaths("$f(y)$", "$f(x)$", { strictNames: false }).correct).toBe(true);
});

test("an interval accepts inequalities by default; an inequality accepts its interval", () => {
  expect(gradeMaths("$-2 \\le x \\le 7$", "$[-2,7]$", { inequalities: false }).correct).toBe(false);
  expect(gradeMaths("$-2 \\le x \\le 7$", "$[-2,7]$").correct).toBe(true);
  expect(gradeMaths("$[-2,7]$", "$-2 \\le x \\le 7$").correct).toBe(true);
});
