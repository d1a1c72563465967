import { expect, test } from "vitest";
import { regressionOf } from "./regression.ts";
import type { Evaluation } from "./evaluate.ts";

function evaluation(accuracy: number, silence: Evaluation["silence"] = { a: 0.1, b: 0 }, problems = 400): Evaluation {
  return { step: 0, problems, accuracy, interval: [0, 1], tokens: 10, silence };
}

test("fewer right answers than chance explains are said", () => {
  expect(regressionOf(evaluation(0.9), evaluation(0.8))).toContain(
    "solves clearly less than before training (90.0 % -> 80.0 %",
  );
  // Two proportions of 400, 0.9 and 0.85: z = 0.05 / sqrt(0.875 * 0.125 * 2 / 400) = 2.138, below 2.326.
  expect(regressionOf(evaluation(0.9), evaluation(0.85))).toBeNull();
  expect(regressionOf(evaluation(0.9), evaluation(0.848))).toBeNull();
  expect(regressionOf(evaluation(0.9), evaluation(0.84))).not.toBeNull(); // z = 2.52
  expect(regressionOf(evaluation(0.9, {}, 40), evaluation(0.8, {}, 40))).toBeNull();
  expect(regressionOf(evaluation(1), evaluation(1))).toBeNull();
});

test("agents that fell silent are named, unless the team does as well without them", () => {
  const muted = { a: 0.99, b: 0.2 };
  expect(regressionOf(evaluation(0.125), evaluation(0.095, muted))).toMatch(/^a says almost nothing any more/u);
  expect(regressionOf(evaluation(0.9), evaluation(0.9, muted))).toBeNull();
  expect(regressionOf(evaluation(0.125, { a: 0.9, b: 0 }), evaluation(0.095, muted))).toBeNull(); // was so before
});
