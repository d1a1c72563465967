import { expect, test } from "vitest";
import { collapseOf } from "./evaluation-warnings.ts";
import type { Measured } from "./evaluate.ts";

const first = { perplexity: 4.3, repetition: 0.02, vocabulary: 0.5, templateEntropy: 5, commonestTemplate: 0.1 };
const measured = (language: Partial<typeof first>, measures: Record<string, number> = {}): Measured => ({
  problems: 100,
  accuracy: 0.5,
  interval: [0.4, 0.6],
  tokens: 40,
  measures,
  language: { first: { ...first, ...language } },
});
const before = measured({}, { holder_silent: 0.03 });

test.each([
  // What MAGRPO's writers came to without KL: "One day." again and again, at a perplexity of 34.
  [
    { repetition: 0.5 },
    /^first repeats itself \(50.0 % of its pairs of words stood in the same text before\): the language collapses/,
  ],
  [{ perplexity: 34 }, /^first writes a code of its own \(perplexity 34\.0 under the first policy, 4\.3 before\)/],
  [{ vocabulary: 0.1 }, /^first has few words left \(10.0 % of its words are different ones, 50.0 % before\)/],
  // "NAME was", 158 of 200 times.
  [
    { commonestTemplate: 0.79, templateEntropy: 1.2 },
    /^first says 79.0 % of its texts by one template, .* \(10.0 % before; 1\.2 bits of templates, were 5\.0\)/,
  ],
  [{ vocabulary: 0.1, repetition: 0.4 }, /repeats itself .*; first has few words left/],
] as const)("%j is a collapse", (language, message) => {
  expect(collapseOf(before, measured(language))).toMatch(message);
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
])("%j is none", (language) => expect(collapseOf(before, measured(language))).toBeNull());

test("the silence of those who know is one, and only where they spoke before", () => {
  const silent = measured({}, { holder_silent: 0.8, idle_silent: 1 });
  expect(collapseOf(before, silent)).toMatch(
    /^whoever knows what is asked says nothing in 80.0 % of the episodes \(3.0 % before training\)/,
  );
  expect(collapseOf(silent, silent)).toBeNull();
  expect(collapseOf(before, measured({}, { holder_silent: 0.1, idle_silent: 1 }))).toBeNull();
});

test("where nothing was measured nothing is said", () => {
  const plain: Measured = { problems: 1, accuracy: 0, interval: [0, 1], tokens: 1 };
  expect(collapseOf(plain, plain)).toBeNull();
  expect(collapseOf(plain, measured({ repetition: 1 }))).toBeNull();
});
