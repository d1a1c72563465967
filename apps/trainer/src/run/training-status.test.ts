import { expect, test } from "vitest";
import { evaluationsFrom, statusLine, timeLeft } from "./training-status.ts";

test("shows progress and the remaining time", () => {
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

test("the status line fits 80 columns", () => {
  const progress = { step: 154, steps: 200, accuracy: 1, tokens: 13.9, tokenPrice: 0.00498, secondsLeft: 65 };
  expect(statusLine(progress).length).toBeLessThan(80);
});

test("shows no time if it is unknown", () => {
  const progress = { step: 1, steps: 160, accuracy: 1, tokens: 9, tokenPrice: 0, secondsLeft: null };
  expect(statusLine(progress)).not.toContain("left");
});

test("ignores a slow first step and gives no estimate from two", () => {
  const rest = { evaluationSeconds: [], stepsLeft: 150, evaluationsLeft: 0 };
  expect(timeLeft({ stepSeconds: [9, 2], ...rest })).toBeNull();
  expect(timeLeft({ stepSeconds: [9, 2, 2], ...rest })).toBe(300);
  expect(timeLeft({ stepSeconds: [9, 2, 2, 4], ...rest })).toBeCloseTo((150 * (0.81 * 2 + 0.9 * 2 + 4)) / 2.71, 9);
});

test("counts future evaluations and weights old steps little", () => {
  const stepSeconds = [...Array.from({ length: 100 }, () => 60), ...Array.from({ length: 60 }, () => 1)];
  const rest = { stepsLeft: 30, evaluationsLeft: 3 };
  const left = timeLeft({ stepSeconds, evaluationSeconds: [6, 6, 6], ...rest });
  expect(left).toBeCloseTo(30 * (1 + 59 * 0.9 ** 60) + 18, 1);
});

test("the estimate approaches the mean if every other step takes twice as long", () => {
  const steady = Array.from({ length: 30 }, () => 2);
  const rest = { evaluationSeconds: [], stepsLeft: 100, evaluationsLeft: 0 };
  expect(timeLeft({ stepSeconds: steady, ...rest })).toBeCloseTo(200, 9);
  expect(timeLeft({ stepSeconds: [...steady, 4, 2, 4, 2], ...rest })).toBeLessThan(240);
  expect(timeLeft({ stepSeconds: [...steady, 4, 2, 4, 2], ...rest })).toBeGreaterThan(220);
});

test("counts evaluations as a training runs them", () => {
  for (const [steps, every] of [
    [1, 1],
    [10, 3],
    [12, 4],
    [7, 10],
    [5, 0],
  ] as const)
    for (let step = 1; step <= steps; step++) {
      let count = 0;
      for (let at = step; at <= steps; at++) if (at === steps || (every > 0 && at % every === 0)) count += 1;
      expect([steps, every, step, evaluationsFrom(step, steps, every)]).toEqual([steps, every, step, count]);
    }
});
