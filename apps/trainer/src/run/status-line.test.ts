import { expect, test } from "vitest";
import { statusLine } from "./training-status.ts";

test("a status line shows progress and the time left", () => {
  const line = statusLine({
    step: 40,
    steps: 160,
    accuracy: 0.945,
    tokens: 31.24,
    tokenPrice: 0.0041,
    secondsLeft: 60,
  });
  expect(line).toBe("step  40/160  ██        accuracy 94.5 %  tokens 31.2  λ 0.0041  1 m 00 s left");
});

test("a terminal of 80 columns shows all of it", () => {
  const progress = { step: 154, steps: 200, accuracy: 1, tokens: 13.9, tokenPrice: 0.00498, secondsLeft: 65 };
  expect(statusLine(progress).length).toBeLessThan(80);
});

test("no time is said where none is known", () => {
  const progress = { step: 1, steps: 160, accuracy: 1, tokens: 9, tokenPrice: 0, secondsLeft: null };
  expect(statusLine(progress)).not.toContain("left");
});
