import { expect, test } from "vitest";
import { evaluationsFrom, timeLeft } from "./time-left.ts";

test("a slow first step does not count, and none is told from two", () => {
  const rest = { evaluationSeconds: [], stepsLeft: 150, evaluationsLeft: 0 };
  expect(timeLeft({ stepSeconds: [9, 2], ...rest })).toBeNull();
  expect(timeLeft({ stepSeconds: [9, 2, 2], ...rest })).toBe(300);
  expect(timeLeft({ stepSeconds: [9, 2, 2, 4], ...rest })).toBe(450);
});

test("evaluations that are to come count, and old steps do not", () => {
  const stepSeconds = [...Array.from({ length: 100 }, () => 60), ...Array.from({ length: 20 }, () => 1)];
  expect(timeLeft({ stepSeconds, evaluationSeconds: [5, 7, 6], stepsLeft: 30, evaluationsLeft: 3 })).toBe(48);
});

test("evaluations are counted as a training makes them", () => {
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
