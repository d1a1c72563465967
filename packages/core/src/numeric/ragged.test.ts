import * as fc from "fast-check";
import { expect, test } from "vitest";
import { assertSameLayout, ragged, raggedRow, raggedSelect, type Ragged } from "../index.ts";

const rows = fc.array(fc.array(fc.double({ noNaN: true }), { maxLength: 6 }), { maxLength: 8 });
const plain = (data: Ragged): number[][] =>
  Array.from({ length: data.offsets.length - 1 }, (_, row) => Array.from(raggedRow(data, row)));

test("packing and unpacking are inverse", () => {
  fc.assert(
    fc.property(rows, (drawn) => {
      expect(plain(ragged(drawn))).toEqual(drawn);
    }),
    { seed: 1, numRuns: 200 },
  );
});

test("selecting any rows gives those rows", () => {
  fc.assert(
    fc.property(rows, fc.array(fc.nat(), { maxLength: 5 }), (drawn, picks) => {
      const chosen = drawn.length === 0 ? [] : picks.map((pick) => pick % drawn.length);
      expect(plain(raggedSelect(ragged(drawn), chosen))).toEqual(chosen.map((row) => drawn[row]));
    }),
    { seed: 2, numRuns: 200 },
  );
});

test("layouts that differ are refused by name, equal ones pass", () => {
  const data = ragged([[1, 2], [3]]);
  expect(() => assertSameLayout(data, ragged([[0, 0], [0]]), "mask")).not.toThrow();
  for (const other of [ragged([[1], [2, 3]]), ragged([[1, 2], [3], []]), ragged([])])
    expect(() => assertSameLayout(data, other, "refLogProbs")).toFailWith("input_invalid", "refLogProbs", {
      name: "refLogProbs",
      sequences: 2,
      found: other.offsets.length - 1,
    });
});
