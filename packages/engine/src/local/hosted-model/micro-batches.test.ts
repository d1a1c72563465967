import type { TrainingSequence } from "@laconic/core";
import fc from "fast-check";
import { expect, test } from "vitest";
import { prefixForest } from "../../transformer/prefix-forest.ts";
import { microBatches, rowsTogether } from "./micro-batches.ts";

const group = (problem: number, replies: number, prompt = 20, reply = 3): TrainingSequence[] =>
  Array.from({ length: replies }, (_, g) => ({
    promptTokens: [problem, ...new Array<number>(prompt - 1).fill(7)],
    completionTokens: [g, ...new Array<number>(reply - 1).fill(8)],
  }));
const rowsOf = (sequences: readonly TrainingSequence[], numbers: readonly number[]): number =>
  rowsTogether(
    numbers.map((s) => sequences[s] as TrainingSequence),
    true,
  );
const one = { replicas: 1, shared: true } as const;

test("every sequence is passed once, and no more rows than fit", () => {
  const token = fc.integer({ min: 0, max: 1 });
  const sequence = fc.record({
    promptTokens: fc.array(token, { minLength: 1, maxLength: 6 }),
    completionTokens: fc.array(token, { maxLength: 6 }),
  });
  fc.assert(
    fc.property(
      fc.array(sequence, { maxLength: 15 }),
      fc.integer({ min: 1, max: 3 }),
      fc.integer({ min: 3, max: 30 }),
      fc.boolean(),
      (sequences, replicas, maxRows, shared) => {
        const rounds = microBatches(sequences, { replicas, maxRows, shared });
        expect(rounds.flat(2).toSorted((a, b) => a - b)).toEqual(sequences.map((_, s) => s));
        for (const batch of rounds.flat()) {
          const chosen = batch.map((s) => sequences[s] as TrainingSequence);
          const rows = rowsTogether(chosen, shared);
          // Alone, or copies of one.
          const longest = Math.max(0, ...prefixForest(chosen).lengths);
          expect(rows).toBeLessThanOrEqual(Math.max(maxRows, longest));
        }
        expect(microBatches(sequences, { replicas, maxRows, shared })).toEqual(rounds);
      },
    ),
    { numRuns: 500 },
  );
});

test("a group that fits is not parted, and its prompt is passed once", () => {
  const sequences = [...group(1, 4), ...group(2, 4), ...group(3, 4)];
  // A group takes 28 rows.
  expect(microBatches(sequences, { ...one, maxRows: 60 })).toEqual([[[0, 1, 2, 3, 4, 5, 6, 7]], [[8, 9, 10, 11]]]);
  expect(microBatches(sequences, { ...one, maxRows: 55 })).toEqual([[[0, 1, 2, 3]], [[4, 5, 6, 7]], [[8, 9, 10, 11]]]);
});

test("a group that does not fit is parted where it branches, and passes its prompt again", () => {
  const sequences = group(1, 6);
  const rounds = microBatches(sequences, { ...one, maxRows: 24 });
  expect(rounds).toEqual([[[0, 1]], [[2, 3]], [[4, 5]]]);
  expect(rounds.flat().map((batch) => rowsOf(sequences, batch))).toEqual([24, 24, 24]);
});

test("problems under one system prompt stay apart, and a common first line does not hold them together", () => {
  const system = [90, 91, 92];
  const sequences = [1, 2, 3, 4].flatMap((problem) =>
    group(problem, 3).map((trainingSequence) => ({
      ...trainingSequence,
      promptTokens: [...system, ...trainingSequence.promptTokens],
    })),
  );
  // Of 3 + 26 rows each, the first three once.
  expect(microBatches(sequences, { ...one, maxRows: 60 })).toEqual([[[0, 1, 2, 3, 4, 5]], [[6, 7, 8, 9, 10, 11]]]);
});

test("sequences that share nothing, or are not to share, keep their order", () => {
  const apart = [3, 1, 2, 5].map((token) => ({ promptTokens: [token], completionTokens: [1, 2, 3] }));
  expect(microBatches(apart, { ...one, maxRows: 6 })).toEqual([[[0, 1]], [[2, 3]]]);
  expect(microBatches(group(1, 4, 2, 2), { replicas: 1, shared: false, maxRows: 6 })).toEqual([[[0, 1]], [[2, 3]]]);
});

test("replicas get whole groups of like work, or parts of the only one", () => {
  const sequences = [...group(1, 4), ...group(2, 4), ...group(3, 4), ...group(4, 4)];
  const [round] = microBatches(sequences, { replicas: 2, maxRows: 1000, shared: true });
  expect(round?.map((batch) => rowsOf(sequences, batch))).toEqual([56, 56]);
  // Of three groups one is parted, and only its prompt is passed twice.
  const three = sequences.slice(0, 12);
  const [uneven] = microBatches(three, { replicas: 2, maxRows: 1000, shared: true });
  expect(uneven?.map((batch) => rowsOf(three, batch))).toEqual([52, 52]);
  expect(rowsTogether(three, true)).toBe(84);
  const alone = group(1, 8);
  const [parts] = microBatches(alone, { replicas: 2, maxRows: 1000, shared: true });
  expect(parts?.map((batch) => batch.length)).toEqual([4, 4]);
});
