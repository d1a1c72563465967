import { exactJson } from "@laconic/core/json";
import { expect, test } from "vitest";
import { readGradedCases } from "./graded-case.ts";

const file = "cases.jsonl";
const read = (...values: readonly unknown[]): unknown[] => [
  ...readGradedCases(values.map((value, i) => ({ file, row: i + 1, value }))),
];

test("cases are read with their parameters", () => {
  const row = { id: 7, kind: "maths", gold: "1", prediction: "1", params: { precision: "1e-4", other: [] } };
  expect(read(row)).toEqual([
    { id: "7", kind: "maths", gold: "1", prediction: "1", params: { precision: 1e-4, other: [] } },
  ]);
});

test("golds, ids and predictions keep their digits", () => {
  const row = '{"id":9007199254740993,"kind":"numeric","gold":1.0,"prediction":0.10,"params":{"precision":1e-4}}';
  const digits = { id: "9007199254740993", gold: "1.0", prediction: "0.10", params: { precision: 1e-4 } };
  expect(read(exactJson(row))).toEqual([{ ...digits, kind: "numeric" }]);
});

test("invalid rows are reported by location", () => {
  const good = { id: "a", kind: "numeric", gold: "1", prediction: "2" };
  const refusal = { file, row: 1, reason: "not JSON" };
  expect([...readGradedCases([refusal])]).toEqual([refusal]);
  expect(read(good, good, { id: "b", kind: "poem", prediction: null }, { id: "__proto__" })).toEqual([
    expect.objectContaining({ id: "a", gold: "1" }),
    { file: "cases.jsonl", row: 2, reason: "the id a is that of row 1" },
    { file: "cases.jsonl", row: 3, reason: expect.stringContaining("kind: it must be one of math-equivalence") },
    { file: "cases.jsonl", row: 4, reason: expect.stringContaining("prediction") },
  ]);
});
