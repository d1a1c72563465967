import { expect, test } from "vitest";
import { randomFromSeed, type TrainingSequence } from "@laconic/core";
import { joinSequences } from "./joined-sequences.ts";

const row = (promptTokens: number[], completionTokens: number[], temperature?: number): TrainingSequence => ({
  promptTokens,
  completionTokens,
  ...(temperature !== undefined && { temperature }),
});

test("turns of one conversation are one sequence with several spans", () => {
  const joined = joinSequences([row([1, 2], [3]), row([1, 2, 3, 9], [4, 5]), row([1, 2, 3, 9, 4, 5, 9], [6])]);
  expect(joined).toEqual({
    sequences: [{ promptTokens: [1, 2], completionTokens: [3, 9, 4, 5, 9, 6] }],
    spans: [
      { sequence: 0, start: 0, length: 1 },
      { sequence: 0, start: 2, length: 2 },
      { sequence: 0, start: 5, length: 1 },
    ],
  });
});

test("branches are sequences of their own, and what they share is a span of one of them", () => {
  const joined = joinSequences([row([1], [2]), row([1, 2, 7], [3]), row([1, 2, 8], [4])]);
  expect(joined.sequences).toHaveLength(2);
  expect(joined.spans.map(({ sequence }) => sequence)).toEqual([0, 0, 1]);
  expect(joined.sequences[1]).toEqual({ promptTokens: [1, 2, 8], completionTokens: [4] });
});

test("another temperature, or one token that differs, joins nothing", () => {
  expect(joinSequences([row([1], [2], 1), row([1, 2, 3], [4], 0.5)]).sequences).toHaveLength(2);
  expect(joinSequences([row([1], [2]), row([1, 5, 3], [4])]).sequences).toHaveLength(2);
  expect(joinSequences([])).toEqual({ sequences: [], spans: [] });
});

test("equal replies share one span", () => {
  const joined = joinSequences([row([1], [2, 3]), row([1], [2, 3]), row([1], [2])]);
  expect(joined.sequences).toEqual([{ promptTokens: [1], completionTokens: [2, 3] }]);
  expect(joined.spans.map(({ length }) => length)).toEqual([2, 2, 1]);
});

test("whatever is joined, every row finds its own tokens after its own prompt", () => {
  const random = randomFromSeed("joined");
  for (let round = 0; round < 200; round++) {
    const rows = Array.from({ length: 1 + random.integer(12) }, () => {
      const tokens = Array.from({ length: 1 + random.integer(6) }, () => random.integer(2));
      return row(
        tokens,
        Array.from({ length: random.integer(4) }, () => random.integer(2)),
        1 + random.integer(2),
      );
    });
    const { sequences, spans } = joinSequences(rows);
    expect(sequences.length).toBeLessThanOrEqual(rows.length);
    rows.forEach(({ promptTokens, completionTokens, temperature }, i) => {
      const { sequence, start, length } = spans[i] as (typeof spans)[0];
      const joined = sequences[sequence] as TrainingSequence;
      const whole = [...joined.promptTokens, ...joined.completionTokens];
      const from = joined.promptTokens.length + start;
      expect(joined.temperature).toBe(temperature);
      expect(whole.slice(from, from + length)).toEqual(completionTokens);
      expect(whole.slice(0, from)).toEqual(promptTokens);
    });
  }
});
