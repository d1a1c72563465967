import type { Measured } from "@laconic/trainer";
import { expect, test } from "vitest";
import { languageLines, measureLines } from "./training-text.ts";

const measured = (measures: Record<string, number>, perplexity: number): Measured => ({
  problems: 9,
  accuracy: 0.5,
  interval: [0.2, 0.8],
  tokens: 12,
  measures,
  language: { writer: { perplexity, repetition: 0, vocabulary: 0.5 } },
});

test("prints counts and perplexity before and after, a line each", () => {
  const [before, after] = [measured({ name_shift: -0.2061 }, 4.3), measured({ name_shift: 0.9068 }, 6.17)];
  expect(measureLines([before, after])).toEqual(["name_shift  −0.206 -> 0.907"]);
  expect(languageLines([before, after])).toEqual(["words of writer  perplexity 4.3 -> 6.17"]);
  const told = { perplexity: 2, repetition: 0, vocabulary: 1, perplexityWithEnd: 5.69, commonestTemplate: 0.79 };
  expect(languageLines([before, { ...after, language: { writer: told } }])).toEqual([
    "words of writer  perplexity 4.3 -> 2, with the end - -> 5.69, share of one template - -> 0.79",
  ]);
});

test("a metric without a former value is marked; no lines appear without measures and language", () => {
  expect(measureLines([undefined, measured({}, 4), measured({ name_shift: 0.5 }, 4)])[0]).toBe(
    "name_shift  - -> - -> 0.5",
  );
  const { measures: _, language: __, ...bare } = measured({}, 4);
  expect([...measureLines([bare, bare]), ...languageLines([bare, bare])]).toEqual([]);
});
