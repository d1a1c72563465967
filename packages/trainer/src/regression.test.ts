import { describe, expect, test } from "vitest";
import { regressionOf, unlearnedOf } from "./evaluation-warnings.ts";
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

describe("a run that ends", () => {
  const ending = (accuracies: readonly number[], change: Partial<Parameters<typeof unlearnedOf>[0]> = {}) => {
    const [before, previous, last] = accuracies.map((accuracy, i) => ({ ...evaluation(accuracy), step: 20 * i }));
    return unlearnedOf({
      before: before as Evaluation,
      previous: previous as Evaluation,
      last: last as Evaluation,
      isPriced: false,
      equalGroups: 0.8,
      ...change,
    });
  };
  test("without a clear rise says so, with the cause and the setting", () => {
    // Two proportions of 400, 0.57 and 0.63: z = 0.06 / sqrt(0.6 * 0.4 * 2 / 400) = 1.732, below 2.326.
    expect(ending([0.57, 0.59, 0.63])).toMatch(
      /^the team solves no more problems .* \(57.0 % -> 63.0 % of 400 .*; in 80.0 % of the last step's groups .* raise train.steps/u,
    );
    expect(ending([0.57, 0.59, 0.63], { equalGroups: 0.1 })).toContain("optimizer.learningRate.peak");
    expect(ending([0.57, 0.9, 0.93])).toBeNull();
  });
  test("while accuracy rises says so", () => {
    expect(ending([0.575, 0.572, 0.692])).toBe(
      "accuracy was still rising when the training ended (57.2 % at step 20 -> 69.2 %): raise train.steps",
    );
    const before = evaluation(0.575);
    expect(ending([0.575, 0.572, 0.692], { previous: before })).toBeNull(); // evaluated at its ends only
  });
  test("has learned where it says less at a price, and says nothing where too little can be seen", () => {
    const brief = { ...evaluation(0.6), step: 40, tokens: 5 };
    expect(ending([0.6, 0.6, 0.6], { last: brief, isPriced: true })).toBeNull();
    expect(ending([0.6, 0.6, 0.6], { last: brief })).not.toBeNull();
    expect(ending([0.97, 0.97, 0.97])).toBeNull(); // hardly anything was left
    expect(ending([0, 0, 0])).toBeNull(); // has a warning of its own: no answer is right
    expect(ending([0.6, 0.6, 0.6], { last: evaluation(0.6, {}, 60) })).toBeNull();
    expect(ending([0.9, 0.8, 0.7])).toBeNull(); // regressionOf says it
  });
});
