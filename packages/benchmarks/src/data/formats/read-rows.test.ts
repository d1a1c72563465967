import { gzipSync } from "node:zlib";
import { buffer } from "node:stream/consumers";
import { LaconicError } from "@laconic/core";
import { parquetWriteBuffer } from "hyparquet-writer";
import { expect, test } from "vitest";
import { ZipFile } from "yazl";
import type { DataRow } from "../data-row.ts";
import { readRows } from "./read-rows.ts";

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const shown = (rows: readonly DataRow[]): unknown[] =>
  rows.map((row) => ("value" in row ? [row.row, row.value] : [row.row, row.reason]));

async function zipOf(entries: Readonly<Record<string, string | Uint8Array>>): Promise<Uint8Array> {
  const zip = new ZipFile();
  for (const [name, content] of Object.entries(entries)) zip.addBuffer(Buffer.from(content), name);
  zip.end();
  return new Uint8Array(await buffer(zip.outputStream));
}

test("JSON lines with a byte order mark, CRLF and empty lines", async () => {
  const rows = await readRows("a.jsonl", bytesOf('\uFEFF{"a":1}\r\n\r\n  {"a":"é"}\n{"a":3}'));
  expect(shown(rows)).toEqual([
    [1, { a: 1 }],
    [3, { a: "é" }],
    [4, { a: 3 }],
  ]);
});

test("lines that are damaged keep their number and say why; the others stay", async () => {
  const long = `{"a":"${"x".repeat(50 << 20)}"}`;
  const broken = Buffer.concat([
    bytesOf('{"a":1}\n{"a":\n'),
    Buffer.from([0x7b, 0xff, 0x7d, 10]),
    bytesOf(`${long}\n{"a":2}\n`),
  ]);
  const rows = shown(await readRows("a.jsonl", broken)) as [number, unknown][];
  expect(rows.map(([row]) => row)).toEqual([1, 2, 3, 4, 5]);
  expect(rows[1]?.[1]).toMatch(/^not JSON: /);
  expect(rows[2]?.[1]).toBe("the line is not UTF-8");
  expect(rows[3]?.[1]).toMatch(/^the line has 52\d+ bytes; at most 8388608 are read$/);
  expect(rows[4]?.[1]).toEqual({ a: 2 });
});

test("a key __proto__ is a key and reaches no prototype", async () => {
  const [row] = await readRows("a.jsonl", bytesOf('{"__proto__":{"polluted":1},"a":1}'));
  expect(Object.keys((row as { value: object }).value)).toEqual(["__proto__", "a"]);
  expect(({} as { polluted?: number }).polluted).toBeUndefined();
});

test("a JSON array, whatever white space is before it, also within gzip", async () => {
  const array = bytesOf('\uFEFF \n [ {"a": 1}, 2 ]');
  expect(shown(await readRows("a.json", array))).toEqual([
    [1, { a: 1 }],
    [2, 2],
  ]);
  expect(await readRows("a.json.gz", gzipSync(array))).toEqual(await readRows("a.json.gz", array));
});

test("CSV: quoted line breaks, quotes inside a cell, and None stay what they are", async () => {
  const csv = '"two\nlines","say ""no""",None\nIs it "odd"?,b,\n';
  expect(shown(await readRows("a.csv", bytesOf(csv)))).toEqual([
    [1, ["two\nlines", 'say "no"', "None"]],
    [2, ['Is it "odd"?', "b", ""]],
  ]);
});

test("reads Parquet with lists and 64-bit integers", async () => {
  const written = parquetWriteBuffer({
    columnData: [
      { name: "question", data: ["a?", "b?"], type: "STRING" },
      { name: "answer", data: [3n, 12n], type: "INT64" },
    ],
  });
  expect(shown(await readRows("a.parquet", new Uint8Array(written)))).toEqual([
    [1, { question: "a?", answer: 3 }],
    [2, { question: "b?", answer: 12 }],
  ]);
});

test("an archive yields the requested entries in name order", async () => {
  const zip = await zipOf({ "d/b.csv": "3,4\n", "d/a.csv": "1,2\n", "notes.txt": "no rows" });
  expect(await readRows("x.zip", zip, { within: /\.csv$/ })).toEqual([
    { file: "x.zip/d/a.csv", row: 1, value: ["1", "2"] },
    { file: "x.zip/d/b.csv", row: 1, value: ["3", "4"] },
  ]);
});

function replaced(bytes: Uint8Array, from: string, to: string): Uint8Array {
  const copy = Buffer.from(bytes);
  for (let index = copy.indexOf(from); index >= 0; index = copy.indexOf(from, index + 1)) copy.write(to, index);
  return copy;
}

test("files that cannot be read as a whole are named", async () => {
  const good = parquetWriteBuffer({ columnData: [{ name: "a", data: ["x"], type: "STRING" }] });
  const zip = await zipOf({ "aaa/b.csv": "1,2\n" });
  const bomb = await zipOf({ "zeros.csv": new Uint8Array(1 << 20) });
  // The entry says that it unpacks to 3 GiB.
  const lying = Buffer.from(bomb);
  lying.writeUInt32LE(0xc0000000, lying.indexOf("PK\u0001\u0002") + 24);
  const cases: readonly [string, Uint8Array, RegExp][] = [
    ["a.json", bytesOf("[1,"), /a\.json: not JSON/],
    ["a.json", bytesOf("[ \u0000"), /a\.json: not JSON/],
    ["a.csv", bytesOf('a,"never closed'), /a\.csv: /],
    ["a.parquet", new Uint8Array(good).subarray(0, good.byteLength - 9), /a\.parquet: not a whole Parquet file/],
    ["a.gz", gzipSync("[1]").subarray(0, 12), /a\.gz: not a whole gzip file/],
    ["a.zip", zip.subarray(0, zip.length - 8), /a\.zip: /],
    ["a.zip", replaced(zip, "aaa/", "../a"), /a\.zip: invalid relative path/],
    ["a.zip", lying, /a\.zip: unpacks to more than/],
  ];
  for (const [name, bytes, message] of cases) {
    const error: unknown = await readRows(name, bytes).catch((thrown: unknown) => thrown);
    expect(LaconicError.is(error) && error.code).toBe("data_invalid");
    expect(String(error)).toMatch(message);
  }
});
