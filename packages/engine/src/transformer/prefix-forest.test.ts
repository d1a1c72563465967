import fc from "fast-check";
import { expect, test } from "vitest";
import type { TrainingSequence } from "@laconic/core";
import { prefixForest, rowsOfSequence } from "./prefix-forest.ts";

const sequence = (prompt: readonly number[], completion: readonly number[]): TrainingSequence => ({
  promptTokens: prompt,
  completionTokens: completion,
});
const inputOf = ({ promptTokens, completionTokens }: TrainingSequence): number[] =>
  completionTokens.length === 0 ? [] : [...promptTokens, ...completionTokens].slice(0, -1);

/** Few tokens, so that sequences share, repeat and continue one another. */
const tokens = (minLength: number, maxLength: number) =>
  fc.array(fc.integer({ min: 0, max: 2 }), { minLength, maxLength });
const sets = fc.array(fc.tuple(tokens(1, 5), tokens(0, 6)), { maxLength: 12 });

test("any set of sequences goes in and comes out again, each prefix once", () => {
  fc.assert(
    fc.property(sets, (pairs) => {
      const sequences = pairs.map(([prompt, completion]) => sequence(prompt, completion));
      const forest = prefixForest(sequences);
      const prefixes = new Set(
        sequences.flatMap((trainingSequence) =>
          inputOf(trainingSequence).map((_, i, input) => input.slice(0, i + 1).join()),
        ),
      );
      expect(forest.tokens).toHaveLength(prefixes.size);
      sequences.forEach((trainingSequence, s) => {
        const rows = rowsOfSequence(forest, s);
        expect(Array.from(rows, (row) => forest.tokens[row])).toEqual(inputOf(trainingSequence));
        expect(Array.from(rows, (row) => forest.positions[row])).toEqual(inputOf(trainingSequence).map((_, i) => i));
        expect(rows.toSorted()).toEqual(rows);
        expect(rowsOfSequence(forest, s, 2)).toEqual(rows.slice(2));
        for (const row of rows) expect(forest.owners[row]).toBeLessThanOrEqual(s);
      });
      expect(prefixForest(sequences)).toEqual(forest);
    }),
    { numRuns: 1000 },
  );
});

test("segments are as long as they can be, and lie depth first", () => {
  fc.assert(
    fc.property(sets, (pairs) => {
      const { offsets, parents, positions } = prefixForest(
        pairs.map(([prompt, completion]) => sequence(prompt, completion)),
      );
      const children = Array.from(parents, (_, s) => parents.filter((parent) => parent === s).length);
      expect(children).not.toContain(1);
      parents.forEach((parent, s) => {
        expect(offsets[s + 1]).toBeGreaterThan(offsets[s] as number);
        const above = parent < 0 ? -1 : (positions[(offsets[parent + 1] as number) - 1] as number);
        expect(positions[offsets[s] as number]).toBe(above + 1);
        let before = s - 1;
        while (before > parent) before = parents[before] as number;
        expect([before, -1]).toContain(parent);
      });
    }),
    { numRuns: 1000 },
  );
});

test("packs a prompt with replies, a further turn, a repetition, and a sequence without a completion", () => {
  const sequences = [
    sequence([1, 2], [3, 9]),
    sequence([1, 2], [4, 9]),
    sequence([7], []),
    sequence([1, 2, 3, 9], [5]),
    sequence([1, 2], [3, 9]),
  ];
  const forest = prefixForest(sequences);
  expect([...forest.tokens]).toEqual([1, 2, 3, 9, 4]);
  expect([...forest.offsets]).toEqual([0, 2, 4, 5]);
  expect([...forest.parents]).toEqual([-1, 0, 0]);
  expect([...forest.owners]).toEqual([0, 0, 0, 3, 1]);
  expect(rowsOfSequence(forest, 2)).toHaveLength(0);
  expect([...rowsOfSequence(forest, 3, 1)]).toEqual([1, 2, 3]);
});

test("a prefix is shared only where that saves more rows than it costs", () => {
  fc.assert(
    fc.property(sets, fc.nat({ max: 6 }), fc.double({ min: 0, max: 1, noNaN: true }), (pairs, fixed, perReader) => {
      const sequences = pairs.map(([prompt, completion]) => sequence(prompt, completion));
      const forest = prefixForest(sequences, { cost: { fixed, perReader } });
      const counts = [{}, { shared: false }].map((options) => prefixForest(sequences, options).tokens.length);
      expect(forest.tokens.length).toBeGreaterThanOrEqual(counts[0] as number);
      expect(forest.tokens.length).toBeLessThanOrEqual(counts[1] as number);
      const { offsets, parents } = forest;
      const lengths = Array.from(parents, (_, s) => (offsets[s + 1] as number) - (offsets[s] as number));
      const readers = new Array<number>(parents.length).fill(0);
      for (let s = parents.length - 1; s >= 0; s--) {
        const parent = parents[s] as number;
        if (parent >= 0)
          readers[parent] = (readers[parent] as number) + (lengths[s] as number) + (readers[s] as number);
        const branches = parents.filter((other) => other === s).length;
        const saved = branches === 0 ? Infinity : (branches - 1) * (lengths[s] as number);
        expect(saved).toBeGreaterThanOrEqual(fixed + perReader * (readers[s] as number));
      }
      sequences.forEach((item, s) => {
        const rows = rowsOfSequence(forest, s);
        expect(Array.from(rows, (row) => forest.tokens[row])).toEqual(inputOf(item));
        expect(Array.from(rows, (row) => forest.positions[row])).toEqual(inputOf(item).map((_, i) => i));
        for (const row of rows) expect(forest.owners[row]).toBeLessThanOrEqual(s);
      });
    }),
    { numRuns: 500 },
  );
});

test("replies that begin with the same token by chance do not add a segment", () => {
  const sequences = [
    [3, 9, 1],
    [3, 8, 1],
    [4, 9, 1],
  ].map((reply) => sequence([1, 2, 5, 6], reply));
  const { offsets, parents } = prefixForest(sequences, { cost: { fixed: 2, perReader: 0 } });
  expect([...parents]).toEqual([-1, 0, 0, 0]);
  expect([...offsets]).toEqual([0, 4, 6, 8, 10]);
});

test("sequences that share nothing, or are not to share, lie one after the other", () => {
  const apart = [sequence([1], [2, 3]), sequence([4, 5], [6])];
  expect([...prefixForest(apart).tokens]).toEqual([1, 2, 4, 5]);
  const alike = [sequence([1], [2, 3]), sequence([1], [2, 4])];
  const forest = prefixForest(alike, { shared: false });
  expect([...forest.tokens]).toEqual([1, 2, 1, 2]);
  expect([...forest.parents]).toEqual([-1, -1]);
});

test("half a million tokens of one prompt", () => {
  const prompt = Array.from({ length: 1000 }, (_, i) => i % 97);
  const sequences = Array.from({ length: 512 }, (_, s) => sequence(prompt, [s, 1, 2]));
  const { tokens: rows, parents } = prefixForest(sequences);
  expect(rows).toHaveLength(1000 + 2 * 512);
  expect(parents).toHaveLength(513);
});
