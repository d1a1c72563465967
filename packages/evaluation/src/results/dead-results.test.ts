import { expect, test } from "vitest";
import { deadResults, type MethodSummary } from "./summary.ts";

test.each([
  [{}, null],
  [{ unanswered: 19 }, null],
  [{ unanswered: 20 }, "cot on gsm8k: no answer found in any of 20 replies. Raise --max-tokens"],
  [{ unanswered: 20, accuracy: { value: 0.5, low: 0.3, high: 0.7 } }, null],
  [{ scored: 1, unanswered: 1, undecided: 19 }, "in any of 1 reply."],
  [{ scored: 0, errors: 1, undecided: 19, accuracy: null }, "none of 20 samples has a score (1 error, 19 undecided)"],
  [{ scored: 0, samples: 0, accuracy: null }, null],
] as const)("%j: the sentence is %j", (change, words) => {
  const accuracy = { value: 0, low: 0, high: 0.2 };
  const whole = {
    benchmark: "gsm8k",
    method: "cot",
    samples: 20,
    scored: 20,
    errors: 0,
    undecided: 0,
    unanswered: 3,
    accuracy,
  };
  const matches = deadResults([{ ...whole, ...change } as unknown as MethodSummary]);
  expect(matches).toHaveLength(words === null ? 0 : 1);
  expect(matches.join("\n")).toContain(words ?? "");
});
