import { expect, test } from "vitest";
import { gradeMaths } from "../grade-maths.ts";

test.each([
  ["\\int_1^2 \\ln x \\, dx", "2\\ln 2 - 1", true],
  ["\\int_1^2 \\ln x \\, dx", "2\\ln 2", false],
  ["\\int_{-1}^2 \\frac{1}{x} dx", "\\ln 2", false],
  ["\\int_0^a x \\, dx", "\\frac{a^2}{2}", true],
  ["\\lim_{x\\to-\\infty}\\frac{x}{|x|}", "-1", true],
  ["\\lim_{x\\to-\\infty}\\frac{x}{|x|}", "1", false],
  ["\\lim_{x\\to0}\\frac{\\sin x}{x}", "1+10^{-9}", false],
  ["\\lim_{x\\to0}\\sin\\frac1x", "0", false],
  ["\\lim_{x\\to a}\\frac{x^2-a^2}{x-a}", "2a", true],
  ["\\frac{d}{dx} x^x", "x^x(\\ln x+1)", true],
  ["\\int_0^1\\int_0^1 xy\\,dx\\,dy", "\\frac14", false],
] as const)("%s is %s: %s", (answer, gold, right) =>
  expect(gradeMaths(`\\boxed{${answer}}`, gold, { bareGold: true }).correct).toBe(right),
);
