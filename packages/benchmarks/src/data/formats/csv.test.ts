import { execFileSync } from "node:child_process";
import { findPython } from "@laconic/core/platform";
import fc from "fast-check";
import { expect, test } from "vitest";
import { csvRecords } from "./csv.ts";

const cell = fc.oneof(
  fc.stringMatching(/^[a-z0-9 ']{0,4}$/u),
  fc.stringMatching(/^[a-z0-9 ,;\t\n\r"]{0,6}$/u).map((text) => `"${text.replaceAll('"', '""')}"`),
  fc.stringMatching(/^[a-z ]{1,2}"[a-z "]{0,3}$/u),
);
const file = fc
  .array(fc.tuple(fc.array(cell, { maxLength: 4 }), fc.constantFrom("\n", "\r\n", "\r")), {
    minLength: 1,
    maxLength: 6,
  })
  .map((rows) => rows.map(([cells, end]) => cells.join(",") + end).join(""));

const script = `
import csv, io, json, sys
print(json.dumps([list(csv.reader(io.StringIO(text, newline=""))) for text in json.load(sys.stdin)]))`;

test("reads generated files as Python's csv does, with mixed line ends", ({ skip }) => {
  const files = fc.sample(file, { seed: 11, numRuns: 500 });
  let answer = "";
  try {
    answer = execFileSync(findPython(), ["-c", script], {
      input: JSON.stringify(files),
      encoding: "utf8",
      maxBuffer: 1 << 26,
    });
  } catch (error) {
    skip(`no Python at ${findPython()}; set LACONIC_PYTHON: ${String(error)}`);
  }
  const expected = JSON.parse(answer) as string[][][];
  // Python has no cells in an empty line, and drops the quotes of a cell with text behind its closing quote, which no writer makes.
  const rows = (records: string[][]): string[][] =>
    records.map((cells) => (cells.length === 1 && cells[0] === "" ? [] : cells));
  expect(files.map((text) => rows(csvRecords("a.csv", text)))).toEqual(expected.map(rows));
});

test.each([
  ['a,b\nc,"never closed\nd,e\n', 2],
  ['a,b\nc,"closed\nd,rows"later\ne,f\n', 2],
  ['\n"a,b\nc","d"\ne,"f', 3],
])("names the row of the quote that never closes in %j", (text, row) => {
  expect(() => csvRecords("a.csv", text)).toThrow(`a.csv: row ${row}: a quote never closes`);
});

test("keeps a cell that begins with a quote and has several lines", () => {
  expect(csvRecords("a.csv", '"""Hi"" he\nsaid",1\n"a"b,2\n')).toEqual([
    ['"Hi" he\nsaid', "1"],
    ['"a"b', "2"],
  ]);
});
