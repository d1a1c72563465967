import { expect, test, describe } from "vitest";
import { evaluationWarnings, collapseOf, regressionOf, unlearnedOf } from "./evaluation-warnings.ts";
import type { Measured, Evaluation } from "./evaluate.ts";

type Given = Parameters<typeof evaluationWarnings>;

const played = (finishReasons: readonly string[], stopReason = "answered") => ({
  episode: { stopReason, utterances: finishReasons.map((finishReason) => ({ finishReason })) },
});

test.each([
  ["some replies that end", 8, 0, [played(["length", "stop"]), played(["length"])], null],
  ["cut replies that are right, such as answers of a fixed length", 8, 0.9, [played(["length"])], null],
  [
    "cut replies that are wrong",
    8,
    0,
    [played(["length"]), played(["length", "length"])],
    "all replies of an evaluation were cut",
  ],
  ["an agent's error", 8, 0.9, [played(["stop"], "error")], "agent error"],
  ["no problems", 0, 0, [], "the evaluation has no problems"],
] as const)("accepts an evaluation with %s", (_, problems, accuracy, episodes, words) => {
  const matches = evaluationWarnings({ problems, accuracy } as Given[0], episodes as unknown as Given[1]);
  expect(matches).toHaveLength(words === null ? 0 : 1);
  expect(matches.join("\n")).toContain(words ?? "");
});

const first = { perplexity: 4.3, repetition: 0.02, vocabulary: 0.5, templateEntropy: 5, commonestTemplate: 0.1 };
const measured = (language: Partial<typeof first>, measures: Record<string, number> = {}): Measured => ({
  problems: 100,
  accuracy: 0.5,
  interval: [0.4, 0.6],
  tokens: 40,
  measures,
  language: { first: { ...first, ...language } },
});
const spoken = measured({}, { holder_silent: 0.03 });

test.each([
  // MAGRPO's writers repeated "One day." without KL, at a perplexity of 34.
  [
    { repetition: 0.5 },
    /^first repeats itself \(50.0 % of its word pairs repeat within a text\): the language collapses/,
  ],
  [{ perplexity: 34 }, /^first writes its own code \(perplexity 34\.0 under the first policy, 4\.3 before\)/],
  [{ vocabulary: 0.1 }, /^first uses few words \(10.0 % of its words are distinct, 50.0 % before\)/],
  // The template "NAME was" in 158 of 200 texts.
  [
    { commonestTemplate: 0.79, templateEntropy: 1.2 },
    /^first says 79.0 % of its texts by one template, .* \(10.0 % before; 1\.2 bits of templates, were 5\.0\)/,
  ],
  [{ vocabulary: 0.1, repetition: 0.4 }, /repeats itself .*; first uses few words/],
] as const)("%j is a collapse", (language, message) => {
  expect(collapseOf(spoken, measured(language))).toMatch(message);
});

test.each([
  {},
  { perplexity: 8.5 },
  { perplexity: 19 },
  { repetition: 0.1 },
  { vocabulary: 0.9 },
  { commonestTemplate: 0.4, templateEntropy: 2 },
  { commonestTemplate: 0.6, templateEntropy: 4 },
  { perplexity: 0, repetition: 0, vocabulary: 0 },
])("rejects %j", (language) => expect(collapseOf(spoken, measured(language))).toBeNull());

test("the silence of knowing agents counts once, and only if they spoke before", () => {
  const silent = measured({}, { holder_silent: 0.8, idle_silent: 1 });
  expect(collapseOf(spoken, silent)).toMatch(
    /^the agent with the requested fact is silent in 80.0 % of the episodes \(3.0 % before training\)/,
  );
  expect(collapseOf(silent, silent)).toBeNull();
  expect(collapseOf(spoken, measured({}, { holder_silent: 0.1, idle_silent: 1 }))).toBeNull();
});

test("no verdict is given without measurements", () => {
  const plain: Measured = { problems: 1, accuracy: 0, interval: [0, 1], tokens: 1 };
  expect(collapseOf(plain, plain)).toBeNull();
  expect(collapseOf(plain, measured({ repetition: 1 }))).toBeNull();
});

function evaluation(accuracy: number, silence: Evaluation["silence"] = { a: 0.1, b: 0 }, problems = 400): Evaluation {
  return { step: 0, problems, accuracy, interval: [0, 1], tokens: 10, silence };
}

test("reports fewer right answers than chance explains", () => {
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

test("names newly silent agents, unless the team performs as well without them", () => {
  const muted = { a: 0.99, b: 0.2 };
  expect(regressionOf(evaluation(0.125), evaluation(0.095, muted))).toMatch(/^a says almost nothing now/u);
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
  test("has learned if priced tokens fell; gives no verdict with too little data", () => {
    const brief = { ...evaluation(0.6), step: 40, tokens: 5 };
    expect(ending([0.6, 0.6, 0.6], { last: brief, isPriced: true })).toBeNull();
    expect(ending([0.6, 0.6, 0.6], { last: brief })).not.toBeNull();
    expect(ending([0.97, 0.97, 0.97])).toBeNull(); // hardly anything was left
    expect(ending([0, 0, 0])).toBeNull(); // has a warning of its own: no answer is right
    expect(ending([0.6, 0.6, 0.6], { last: evaluation(0.6, {}, 60) })).toBeNull();
    expect(ending([0.9, 0.8, 0.7])).toBeNull(); // regressionOf says it
  });
});
