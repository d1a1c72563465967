import { describe, expect, test } from "vitest";
import { gradeMaths } from "./grade-maths.ts";

/** Gold, reply, whether it is right. */
const pairs: readonly (readonly [gold: string, reply: string, right: boolean])[] = [
  ["\\frac{1}{2}", "\\boxed{0.5}", true],
  ["2\\pi", "\\boxed{2 \\cdot \\pi}", true],
  ["x^2+2x+1", "\\boxed{(x+1)^2}", true],
  ["x^2+2x+1", "\\boxed{(x+1)^3}", false],
  ["\\sqrt{8}", "\\boxed{2\\sqrt{2}}", true],
  ["\\frac{\\sqrt{3}}{3}", "\\boxed{\\frac{1}{\\sqrt{3}}}", true],
  ["\\log_2 8", "\\boxed{3}", true],
  ["\\ln 4", "\\boxed{2\\ln 2}", true],
  ["\\sin^2 x", "\\boxed{1-\\cos^2 x}", true],
  ["\\frac{1}{2}", "\\boxed{\\frac{1}{3}}", false],
  ["5", "The answer is 5 apples.", true],
  ["1000000", "\\boxed{10^6}", true],
  ["1000001", "\\boxed{10^6}", false],
  ["2^{100}", "\\boxed{1267650600228229401496703205376}", true],
  ["2^{100}", "\\boxed{1267650600228229401496703205377}", false],
  ["(1,2)", "\\boxed{(2,1)}", false],
  ["\\{1,2\\}", "\\boxed{\\{2,1\\}}", true],
  ["[0,1]", "\\boxed{0 \\le x \\le 1}", true],
  ["0\\le x\\le 1", "\\boxed{[0,1]}", true],
  ["x>3", "\\boxed{(3,\\infty)}", true],
  ["x\\geq 2", "\\boxed{x \\ge 2}", true],
  ["x\\geq 2", "\\boxed{2 \\le x}", true],
  ["x \\le 1 \\text{ or } x \\ge 3", "\\boxed{(-\\infty,1]\\cup[3,\\infty)}", true],
  ["(-\\infty,1)\\cup(3,\\infty)", "\\boxed{(3,\\infty)\\cup(-\\infty,1)}", true],
  ["\\begin{pmatrix}1\\\\2\\end{pmatrix}", "\\boxed{\\begin{bmatrix}1\\\\2\\end{bmatrix}}", true],
  ["\\begin{pmatrix}1\\\\2\\end{pmatrix}", "\\boxed{(1,2)}", true],
  ["y=2x+1", "\\boxed{2x-y+1=0}", true],
  ["y=2x+1", "\\boxed{y=2x-1}", false],
  ["52_8", "\\boxed{52_{8}}", true],
  ["52_8", "\\boxed{52}", false],
  ["3:2", "\\boxed{3/2}", true],
  ["10:30", "\\boxed{10:30}", true],
  ["\\text{Monday}", "The answer is Monday.", true],
  ["12", "\\boxed{12\\text{ cm}^2}", true],
  ["12", "\\boxed{12 \\mathrm{~cm}}", true],
  ["12", "$12$ cm", true],
  ["\\frac{3}{4}", "\\boxed{75\\%}", true],
  ["0.75", "\\boxed{75\\%}", true],
  ["75\\%", "\\boxed{75%}", true],
  ["-\\frac{1}{2}", "\\boxed{\\frac{-1}{2}}", true],
  ["\\frac{a}{b}", "\\boxed{a/b}", true],
  ["1\\frac{1}{2}", "\\boxed{1.5}", true],
  ["2", "\\boxed{4(\\frac{1}{2})}", true],
  ["4.5", "\\boxed{4(\\frac{1}{2})}", false],
  ["\\frac{3}{2}", "\\boxed{1 \\frac{1}{2}}", true],
  ["10!", "\\boxed{3628800}", true],
  ["\\binom{5}{2}", "\\boxed{10}", true],
  ["i", "\\boxed{\\sqrt{-1}}", true],
  ["2+3i", "\\boxed{3i+2}", true],
  ["e^{2}", "\\boxed{\\exp(2)}", true],
  ["\\sqrt[3]{2}", "\\boxed{2^{1/3}}", true],
  ["x=1,2", "\\boxed{x=2 \\text{ or } x=1}", true],
  ["x=1", "\\boxed{1}", true],
  ["1,2,3", "\\boxed{1, 2, 3}", true],
  ["1,2,3", "\\boxed{3,2,1}", true],
  ["1,2,3", "\\boxed{1,2,4}", false],
  ["\\pm 3", "\\boxed{3,-3}", true],
  ["3", "\\boxed{\\pm 3}", false],
  ["3.14", "\\boxed{\\pi}", false],
  ["\\pi", "\\boxed{3.141593}", true],
  ["0", "\\boxed{0.0000001}", false],
  ["1.2\\times 10^{-8}", "\\boxed{1.2e-8}", true],
  ["1.2\\times 10^{-8}", "\\boxed{1.3\\times 10^{-8}}", false],
  ["n^2", "\\boxed{n \\cdot n}", true],
  ["2n", "\\boxed{n+n}", true],
  ["ab", "\\boxed{ba}", true],
  ["4\\sqrt{2}", "4*sqrt(2)", true],
  ["\\frac{\\pi}{4}", "pi/4", true],
  ["(3,4)", "The point is $(3, 4)$.", true],
  ["100", "1e2", true],
  ["\\infty", "\\boxed{+\\infty}", true],
  ["-\\infty", "\\boxed{\\infty}", false],
  ["\\emptyset", "\\boxed{\\varnothing}", true],
  ["\\mathbb{R}", "\\boxed{(-\\infty,\\infty)}", true],
  ["9", "\\boxed{9}\n\nWait, \\boxed{10}", false],
  ["10", "\\boxed{9}\n\nWait, actually it is \\boxed{10}", true],
  ["2", "I think 1+1=2", true],
  ["\\sqrt{x^2}", "\\boxed{x}", false],
  ["|x|", "\\boxed{\\sqrt{x^2}}", true],
  ["5", "", false],
  ["5", "I don't know", false],
  ["\\frac{1}{0}", "\\boxed{1}", false],
  ["90", "\\boxed{90^\\circ}", true],
  ["\\$5.00", "\\boxed{5}", true],
  ["1,234,567", "\\boxed{1234567}", true],
  ["1234567", "\\boxed{1\\,234\\,567}", true],
  ["\\text{yes}", "Yes", true],
  ["x \\in [1,2]", "\\boxed{[1,2]}", true],
  ["f(x)=x^2", "\\boxed{x^2}", true],
  ["2x+3y=6", "\\boxed{4x+6y=12}", true],
  ["16\\pi", "\\boxed{16 \\pi \\text{ square units}}", true],
  ["3", "\\boxed{x = 3}", true],
  ["a=1,b=2", "\\boxed{(1,2)}", true],
  ["(1,2)", "\\boxed{x=1, y=2}", true],
  ["0.333333", "\\boxed{1/3}", true],
  ["-3", "\\boxed{3}", false],
  ["\\frac{5}{4}", "\\boxed{\\frac54}", true],
  ["\\cos x", "\\boxed{\\sin(\\frac{\\pi}{2}-x)}", true],
  ["\\arctan 1", "\\boxed{\\frac{\\pi}{4}}", true],
  ["\\lfloor 2.5\\rfloor", "\\boxed{2}", true],
  ["11", "\\boxed{1011_2}", false],
  ["7", "<think>\\boxed{3}</think> The answer is $7$.", true],
  ["\\frac{1}{3}", "**Answer:** 1/3", true],
  ["18", "So Janet makes $18 every day.", true],
  ["$2,3$", "2 and 3", true],
  ["x^3-x", "x(x-1)(x+1)", true],
  ["\\dfrac{9}{7}", "\\(\\frac{9}{7}\\)", true],
  ["6", "6.", true],
  ["k", "\\boxed{K}", false],
  ["3\\sqrt{2}+1", "\\boxed{1+\\sqrt{18}}", true],
  ["\\left\\{0,1\\right\\}", "\\boxed{0,1}", true],
  ["6 - 5i", "\\boxed{6-5i}", true],
  ["p - q", "\\boxed{-(q-p)}", true],
  ["\\frac{1}{1-x}", "\\boxed{-\\frac{1}{x-1}}", true],
  ["1.0", "\\boxed{1}", true],
  ["(-1)^n", "\\boxed{(-1)^n}", true],
  ["\\text{June 20}", "\\boxed{\\text{june 20}}", true],
  ["2\\text{ hours } 30\\text{ minutes}", "\\boxed{2\\text{ hours } 30\\text{ minutes}}", true],
  ["4:30", "\\boxed{4:30\\text{ pm}}", true],
];

describe("a reply against a gold in LaTeX", () => {
  test.for(pairs)("%s | %s: %s", ([gold, reply, right]) => {
    expect(gradeMaths(reply, gold, { bareGold: true }).correct).toBe(right);
  });
});

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
