import { appendFile, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deflateRawSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { packNumbers, unpackNumbers } from "@laconic/core/run-folder";
import { tinyRun } from "../testing/tiny-run.ts";
import {
  eachRow,
  folderSource,
  readRecord,
  readRecordHead,
  readRows,
  readTranscript,
  RowFile,
  rowOf,
  type RunSource,
} from "./index.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "laconic-reading-"));
});
afterAll(() => rm(folder, { recursive: true }));

async function fileOf(text: string | Uint8Array): Promise<RunSource> {
  await writeFile(join(folder, "rows.jsonl"), text);
  return folderSource(folder);
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

describe("rows of JSON lines", () => {
  test.each([
    ["no file's", null, []],
    ["an empty file's", "", []],
    ["whole ones", '{"a":1}\n{"a":2}\n', [{ a: 1 }, { a: 2 }]],
    ["with the ends of another system", '{"a":1}\r\n\r\n{"a":2}\r\n', [{ a: 1 }, { a: 2 }]],
    ["half of the last is written", '{"a":1}\n{"a":', [{ a: 1 }]],
    ["the last lacks its end alone", '{"a":1}\n{"a":2}', [{ a: 1 }, { a: 2 }]],
    ["a foreign file's", "a,b\n1,2\n[1]\n7\nnull\n", []],
    ["bytes that are no text", new Uint8Array([0xff, 0xfe, 10, 0x7b, 0x7d, 10]), [{}]],
    ["with control characters", '{"a":"\\u001b[31m\\u202e\\u0000"}\n', [{ a: "\u001b[31m\u202e\u0000" }]],
    ["raw control characters are no JSON", '{"a":"\u001b"}\n{"a":2}\n', [{ a: 2 }]],
  ])("%s", async (_, text, rows) => {
    const source = text === null ? folderSource(join(folder, "nothing")) : await fileOf(text);
    expect(await readRows(source, "rows.jsonl")).toEqual(rows);
  });

  test("lines of a megabyte and more come whole, one after the other", async () => {
    const long = "x".repeat(3 << 20);
    const source = await fileOf(`{"a":"${long}"}\n{"a":"${long}"}\n{"b":1}\n`);
    const lengths: unknown[] = [];
    for await (const { a, b } of eachRow(source, "rows.jsonl")) lengths.push(typeof a === "string" ? a.length : b);
    expect(lengths).toEqual([3 << 20, 3 << 20, 1]);
  });

  test("a row that nobody could hold is passed over and named, and what follows is read", async () => {
    // 80 MiB that are on no disk: zeros, but for two ends and a row behind the first.
    const [end, size] = [80 << 20, (80 << 20) + 9];
    const source: RunSource = {
      stat: async () => ({ size, mtimeMs: 0 }),
      bytes: async (_, from, length) => {
        const piece = new Uint8Array(Math.min(length, size - from));
        for (const [i, byte] of [...bytes('\n{"a":1}\n')].entries())
          if (end + i >= from && end + i < from + piece.length) piece[end + i - from] = byte;
        return piece;
      },
    };
    const [file, rows] = [new RowFile(source, "rows.jsonl"), [] as unknown[]];
    await file.readNew({ reset: () => undefined, row: (row) => rows.push(rowOf(row)) });
    expect(rows).toEqual([{ a: 1 }]);
    expect(file.tooLong).toBe(`rows.jsonl: row 1 has ${end + 1} bytes and was passed over`);
  });

  test("a file that grows is read once; one that takes its place anew", async () => {
    const source = await fileOf('{"a":1}\n{"a"');
    const file = new RowFile(source, "rows.jsonl");
    const heard: unknown[] = [];
    const reader = { reset: () => void heard.push("anew"), row: (row: Uint8Array) => heard.push(rowOf(row)?.["a"]) };
    await file.readNew(reader);
    expect([heard.splice(0), file.rest]).toEqual([[1], 4]);
    await appendFile(join(folder, "rows.jsonl"), ":2}\n");
    expect(await file.readNew(reader)).toBe(true);
    expect(await file.readNew(reader)).toBe(false);
    expect([heard.splice(0), file.rest, file.rows]).toEqual([[2], 0, 2]);
    await writeFile(join(folder, "other"), '{"a":7}\n{"a":8}\n{"a":9}\n');
    await rename(join(folder, "other"), join(folder, "rows.jsonl"));
    await file.readNew(reader);
    expect(heard).toEqual(["anew", 7, 8, 9]);
  });
});

describe("records and transcripts", () => {
  const line = (content: unknown): Uint8Array =>
    bytes(
      `{"step":3,"kind":"step","version":1,"deflate":"${deflateRawSync(JSON.stringify(content)).toString("base64")}"}`,
    );

  test("those of a run, packed numbers included", async () => {
    const directory = join(folder, "run");
    await tinyRun({ directory, settings: { steps: 1, evaluation: { every: 1, problems: 2, transcripts: 2 } } });
    const lines: Uint8Array[] = [];
    for await (const batch of new RowFile(folderSource(directory), "records.jsonl").batches())
      for (const row of batch) lines.push(row.bytes.slice());
    expect(lines.map((each) => readRecordHead(each))).toEqual(
      [
        [0, "evaluation"],
        [1, "step"],
        [1, "evaluation"],
      ].map(([step, kind]) => ({ step, kind, version: 1 })),
    );
    const step = readRecord(lines[1] as Uint8Array);
    const tokens = step.utterances.reduce((sum, each) => sum + (each.tokens?.length ?? 0), 0);
    expect(tokens).toBeGreaterThan(0);
    expect(unpackNumbers(step.sampledLogProbs)).toHaveLength(tokens);
    const [first] = await readRows(folderSource(directory), "episodes.jsonl");
    const { problem, episode } = readTranscript(bytes(JSON.stringify(first)));
    expect(problem.id).toBe(episode.problemId);
    expect(episode.utterances.length).toBeGreaterThan(0);
  });

  test("numbers come back as they were, whatever packed them", () => {
    for (const values of [[0.5, -2], [0.1, Math.PI, Number.NaN, -0, Infinity], []])
      expect([...unpackNumbers(packNumbers(values))]).toEqual(values);
  });

  test.each([
    ["no JSON", bytes("{"), "it holds nothing"],
    ["no content", bytes('{"step":1}'), "it holds nothing"],
    ["a content that is not deflated", bytes('{"deflate":"AAAA"}'), /./u],
    ["a content without episodes", line({ utterances: [] }), "it holds no episodes"],
    ["a list", line([]), "it holds no episodes"],
  ])("a line with %s is no record", (_, row, said) => {
    expect(() => readRecord(row)).toThrow(said);
  });

  test("a head is told apart from other lines, whatever stands first in it", () => {
    expect(readRecordHead(line({}))).toEqual({ step: 3, kind: "step", version: 1 });
    expect(readRecordHead(bytes('{"version":2,"kind":"step","step":4,"deflate":""}'))).toMatchObject({ version: 2 });
    expect(readRecordHead(bytes('{"step":4}'))).toBeNull();
    expect(readRecordHead(bytes("step 4"))).toBeNull();
  });

  test.each([
    ["nothing", "{}", "it holds no problem"],
    ["a problem alone", '{"problem":{"id":"p"}}', "it holds no episode"],
    ["an episode without its calls", '{"problem":{"id":"p"},"episode":{"utterances":[]}}', "it holds no episode"],
  ])("a line with %s is no transcript", (_, row, said) => {
    expect(() => readTranscript(bytes(row))).toThrow(said);
  });
});
