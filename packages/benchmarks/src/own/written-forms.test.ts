import { parquetWriteBuffer } from "hyparquet-writer";
import { expect, test } from "vitest";
import { brief, numeric, read, two } from "../../test/own-data.ts";
import type { ProblemOptions } from "./open-data.ts";

test.each([
  ["mixed line ends", 'question,gold\r\n1 + 1?,2\n\r"2 + 2?\nor so",4'],
  ["a first line that declares the delimiter", '\uFEFFsep=;\r\nquestion;gold\r\n1 + 1?;2\r\n\r\n"2 + 2?\nor so";4\r\n'],
  ["semicolons, and commas inside cells", 'question;gold;"a, b"\n1 + 1?;2;1,5\n\n"2 + 2?\nor so";4;2,5\n'],
  ["tabs", 'question\tgold\n1 + 1?\t2\n\n"2 + 2?\nor so"\t4\n'],
  ["bars", 'question|gold\n1 + 1?|2\n\n"2 + 2?\nor so"|4\n'],
  ["commas behind the last cell", 'question,gold,,\n1 + 1?,2,\n,,,\n"2 + 2?\nor so",4,,,\n'],
  ["row labels without a name", ',question,gold\n7,1 + 1?,2\n,,\n8,"2 + 2?\nor so",4\n'],
  ["spaces around cells, names and quotes", ' question , "gold" \n 1 + 1? ,2\n\n "2 + 2?\nor so" , "4" \n'],
  ["empty lines before the header", '\n\nquestion,gold\n1 + 1?,2\n\n"2 + 2?\nor so",4'],
])("reads a CSV with %s", async (_, text) => {
  expect(brief(await read("a.csv", text, numeric))).toEqual(two);
});

test.each([
  ["a.jsonl", '{"question":"1 + 1?","gold":2}\r{"question":"2 + 2?\\nor so","gold":4}\r'],
  ["a.jsonl", '\uFEFF{"question":"1 + 1?","gold":2}\r\n\r\n\n\r\uFEFF{"question":"2 + 2?\\nor so","gold":4}'],
  ["a.json", JSON.stringify({ version: 1, examples: two.map(([, question, gold]) => ({ question, gold })) }, null, 2)],
  ["a.json", JSON.stringify({ examples: two.map(([, question, gold]) => ({ question, gold })) })],
  [
    "rows.json",
    JSON.stringify({
      features: [{ feature_idx: 0, name: "question" }],
      rows: two.map(([, question, gold], row_idx) => ({ row_idx, row: { question, gold }, truncated_cells: [] })),
    }),
  ],
])("%s %j", async (name, text) => {
  expect(brief(await read(name, text, numeric))).toEqual(two);
});

const question = "a\u2028b?";
test.each<[string, string, ProblemOptions["grading"], string]>([
  ["a.jsonl", "9007199254740993", "numeric", "9007199254740993"],
  ["a.json", "-2512292042121000001", "numeric", "-2512292042121000001"],
  ["a.jsonl", "1152921504606846976", "text", "1152921504606846976"],
  ["a.jsonl", "1e21", "numeric", "1000000000000000000000"],
  ["a.jsonl", "1.50E-3", "numeric", "0.00150"],
  ["a.jsonl", "1.0", "numeric", "1.0"],
  ["a.jsonl", "0.10", "text", "0.10"],
  ["a.jsonl", "1e21", "text", "1e21"],
  ["a.jsonl", '"2.5e+3"', "numeric", "2500"],
])("%s keeps the gold %s for %s as %s", async (name, gold, grading, expected) => {
  const metadata = '{"n":9007199254740993,"x":1.0},"views":{"a":1.0}';
  const row = `{"id":1.0,"question":${JSON.stringify(question)},"gold":${gold},"metadata":${metadata}}`;
  const { problems } = await read(name, name.endsWith("l") ? row : `[${row}]`, { grading });
  const read53 = { n: "9007199254740993", x: 1 };
  expect(problems).toEqual([
    expect.objectContaining({ id: "1.0", question, gold: expected, metadata: read53, views: { a: "1.0" } }),
  ]);
});

test("options and letter golds keep their digits, and ids beyond 2^53 differ", async () => {
  const choices = '{"question":"q","choices":[0.10,9007199254740993],"gold":1.0}';
  const [lettered] = (await read("a.jsonl", choices, { grading: { kind: "letter", golds: "index" } })).problems;
  expect(lettered).toMatchObject({ choices: ["0.10", "9007199254740993"], gold: "B" });
  const ids = [1, 2].map((end) => `{"id":251229204212100000${end},"question":"q","gold":1}`).join("\n");
  expect((await read("a.jsonl", ids, numeric)).problems.map(({ id }) => id)).toEqual([
    "2512292042121000001",
    "2512292042121000002",
  ]);
});

test("Parquet keeps the digits of decimals, and those of 32-bit floats", async () => {
  const written = parquetWriteBuffer({
    columnData: [
      { name: "question", data: ["a?", "b?"] },
      { name: "gold", data: [123456789012345678n, -1n] },
      { name: "id", data: [0.1, 0.2] },
    ],
    schema: [
      { name: "root", num_children: 3 },
      { name: "question", type: "BYTE_ARRAY", converted_type: "UTF8", repetition_type: "REQUIRED" },
      { name: "gold", type: "INT64", converted_type: "DECIMAL", scale: 2, precision: 18, repetition_type: "REQUIRED" },
      { name: "id", type: "FLOAT", repetition_type: "REQUIRED" },
    ],
  });
  const { problems } = await read("a.parquet", new Uint8Array(written), numeric);
  expect(problems.map(({ id, gold }) => [id, gold])).toEqual([
    ["0.1", "1234567890123456.78"],
    ["0.2", "-0.01"],
  ]);
});
