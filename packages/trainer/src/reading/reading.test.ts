import { appendFile, rename, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { memoryFileSystem } from "@laconic/core/files";
import { gzipMember, packNumbers, unpackNumbers, type RecordedEpisode } from "@laconic/core/run-folder";
import { episodeSchema } from "@laconic/core/schemas";
import { tinyRun } from "../testing/tiny-run.ts";
import {
  eachEpisode,
  eachRow,
  episodeContent,
  EpisodeFile,
  fileSystemSource,
  folderSource,
  readRows,
  RowFile,
  rowOf,
  shownEpisodes,
} from "./index.ts";
import type { EpisodeEntry, RunSource } from "./index.ts";
import { sharedFolder } from "../../../../test/temporary-folder.ts";

const folder = sharedFolder();

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

  test("lines of a megabyte and more arrive whole and in order", async () => {
    const long = "x".repeat(3 << 20);
    const source = await fileOf(`{"a":"${long}"}\n{"a":"${long}"}\n{"b":1}\n`);
    const lengths: unknown[] = [];
    for await (const { a, b } of eachRow(source, "rows.jsonl")) lengths.push(typeof a === "string" ? a.length : b);
    expect(lengths).toEqual([3 << 20, 3 << 20, 1]);
  });

  test("an oversized row is skipped and named, and later rows are read", async () => {
    // A virtual file of 80 MiB: zeros, two line ends, and a row after the first.
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
    expect(file.tooLong).toBe(`rows.jsonl: row 1 has ${end + 1} bytes and was skipped`);
  });

  test("a file that a resume cut is read again, although it is the same file", async () => {
    const source = await fileOf('{"a":1}\n{"a":2}\n{"a":3}\n');
    const [file, events] = [new RowFile(source, "rows.jsonl"), [] as unknown[]];
    const reader = { reset: () => void events.push("reset"), row: (row: Uint8Array) => events.push(rowOf(row)?.["a"]) };
    await file.readNew(reader);
    await truncate(join(folder, "rows.jsonl"), 8);
    await file.readNew(reader);
    expect([events, file.rows]).toEqual([[1, 2, 3, "reset", 1], 1]);
  });

  test("a growing file is read once; a replacement is read from the start", async () => {
    const source = await fileOf('{"a":1}\n{"a"');
    const file = new RowFile(source, "rows.jsonl");
    const events: unknown[] = [];
    const reader = { reset: () => void events.push("reset"), row: (row: Uint8Array) => events.push(rowOf(row)?.["a"]) };
    await file.readNew(reader);
    expect([events.splice(0), file.rest]).toEqual([[1], 4]);
    await appendFile(join(folder, "rows.jsonl"), ":2}\n");
    expect(await file.readNew(reader)).toBe(true);
    expect(await file.readNew(reader)).toBe(false);
    expect([events.splice(0), file.rest, file.rows]).toEqual([[2], 0, 2]);
    await writeFile(join(folder, "other"), '{"a":7}\n{"a":8}\n{"a":9}\n');
    await rename(join(folder, "other"), join(folder, "rows.jsonl"));
    await file.readNew(reader);
    expect(events).toEqual(["reset", 7, 8, 9]);
  });
});

describe("episodes", () => {
  async function foundIn(source: RunSource): Promise<{ entries: EpisodeEntry[]; damage: string[]; file: EpisodeFile }> {
    const [entries, damage, file]: [EpisodeEntry[], string[], EpisodeFile] = [[], [], new EpisodeFile(source)];
    await file.readNew({
      reset: () => expect.fail(),
      entry: (entry) => entries.push(entry),
      damage: (message) => damage.push(message),
    });
    return { entries, damage, file };
  }
  const memory = (files: Readonly<Record<string, string | Uint8Array>>): RunSource =>
    fileSystemSource(
      memoryFileSystem(Object.fromEntries(Object.entries(files).map(([k, v]) => [`/run/${k}`, v]))),
      "/run",
    );

  test("returns a run's episodes with their tokens and log-probs", async () => {
    const directory = join(folder, "run");
    await tinyRun({ directory, settings: { steps: 1, evaluation: { every: 1, problems: 2, transcripts: 1 } } });
    const source = folderSource(directory);
    const { entries, damage } = await foundIn(source);
    expect(damage).toEqual([]);
    expect(entries.map(({ step, kind, version, isComplete }) => [step, kind, version, isComplete])).toEqual([
      [0, "evaluation", 2, true],
      [1, "step", 2, true],
      [1, "evaluation", 2, true],
    ]);
    const step = await episodeContent(source, entries[1] as EpisodeEntry);
    const tokens = step.utterances.reduce((sum, each) => sum + (each.tokens?.length ?? 0), 0);
    expect(tokens).toBeGreaterThan(0);
    expect(unpackNumbers(step.sampledLogProbs)).toHaveLength(tokens);
    const played: RecordedEpisode[] = [];
    for await (const each of eachEpisode(source, "evaluation")) played.push(each);
    expect(played.map((each) => each.step)).toEqual([0, 0, 1, 1]);
    for (const { problem, episode, task } of played) {
      expect(problem.id).toBe(episode.problemId);
      expect(episodeSchema.parse(episode)).toEqual(episode);
      expect(episode.utterances.every(({ prompt, trace }) => prompt !== "" && trace?.tokens.length)).toBe(true);
      expect(typeof task).toBe("number");
    }
    const shown: RecordedEpisode[] = [];
    const settings = { evaluation: { transcripts: 1 } };
    for await (const each of shownEpisodes(source, settings)) shown.push(each);
    expect(shown).toEqual([played[0], played[2]]);
    for await (const each of shownEpisodes(source, { train: settings })) expect(each).toEqual(shown.shift());
  });

  test("a run without records keeps the few that people read", async () => {
    const directory = join(folder, "few");
    const settings = { steps: 1, evaluation: { every: 1, problems: 3, transcripts: 2 } };
    await tinyRun({ directory, settings, records: false });
    const { entries } = await foundIn(folderSource(directory));
    expect(entries.map(({ step, kind, isComplete }) => [step, kind, isComplete])).toEqual([
      [0, "evaluation", false],
      [1, "step", false],
      [1, "evaluation", false],
    ]);
    for (const kind of ["evaluation", "step"] as const) {
      const found: RecordedEpisode[] = [];
      for await (const each of eachEpisode(folderSource(directory), kind)) found.push(each);
      expect(found).toHaveLength(kind === "step" ? 2 : 4);
    }
  });

  test("numbers read back unchanged from any packing", () => {
    for (const values of [[0.5, -2], [0.1, Math.PI, Number.NaN, -0, Infinity], []])
      expect([...unpackNumbers(packNumbers(values))]).toEqual(values);
  });

  test("names a version that this program does not read", async () => {
    const gzip = gzipMember(gzipSync("{}\n"), { step: 1, kind: "step", version: 9, isComplete: true });
    const { damage } = await foundIn(memory({ "episodes.jsonl.gz": gzip }));
    expect(damage).toEqual(["episodes.jsonl.gz: row 1 has version 9, this program reads 2"]);
  });

  test("a repeated step counts in its later form, and damage is reported", async () => {
    const content = (answer: string): object => ({
      played: [{ problem: { id: "p", question: "q", gold: "g" }, episode: 0, task: 1 }],
      episodes: [
        { problemId: "p", topology: "solo", utterances: [], answer, stopReason: "answered", ledger: { calls: [] } },
      ],
      utterances: [],
      sampledLogProbs: packNumbers([]),
    });
    const member = (answer: string): Uint8Array =>
      gzipMember(gzipSync(JSON.stringify(content(answer))), {
        step: 2,
        kind: "evaluation",
        version: 2,
        isComplete: true,
      });
    const broken = Buffer.from(
      gzipMember(gzipSync("x".repeat(99)), { step: 3, kind: "evaluation", version: 2, isComplete: true }),
    );
    broken.fill(0xff, 30, 34);
    const file = Buffer.concat([member("before"), member("after"), broken]);
    const [answers, damage]: [unknown[], string[]] = [[], []];
    const source = memory({ "episodes.jsonl.gz": file });
    for await (const { episode } of eachEpisode(source, "evaluation", (message) => damage.push(message)))
      answers.push(episode.answer);
    expect(answers).toEqual(["after"]);
    expect(damage).toEqual([expect.stringMatching(/^episodes\.jsonl\.gz: row 3 cannot be read: /u)]);
  });
});
