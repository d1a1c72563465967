import { memoryFileSystem, type FileSystem } from "@laconic/core/files";
import { faultyFileSystem } from "@laconic/trainer/testing";
import { expect, test } from "vitest";
import { lineAppender, toLine } from "./file-system.ts";
import { openRun } from "./run-directory.ts";
import type { Run } from "./recorder.ts";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { nodeFileSystem } from "#platform";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { readLines } from "../reading/rows.ts";

const textOf = async (fs: FileSystem, path: string): Promise<string> => new TextDecoder().decode(await fs.read(path));

test.each(Array.from({ length: 14 }, (_, i) => i + 1))(
  "a file of lines has the accepted ones, whole and in order, where call %d fails",
  async (failAt) => {
    const inner = memoryFileSystem({ "/lines": 'one\n{"torn' });
    const fs = faultyFileSystem({ failAt, tears: true }, inner);
    const append = lineAppender(fs, "/lines");
    const accepted = ["one\n"];
    for (const line of ["two\n", "three\n", "four\nfive\n", "six\n"])
      await append(line).then(
        () => accepted.push(line),
        (error: Error) => expect(error.message).toContain("ENOSPC"),
      );
    await append("last\n");
    expect(await textOf(inner, "/lines")).toBe([...accepted, "last\n"].join(""));
  },
);

test("concurrent lines have the order of the calls; a moved file starts again", async () => {
  const fs = memoryFileSystem();
  const append = lineAppender(fs, "/lines");
  await Promise.all(["a\n", "b\n", "c\n"].map((line) => append(line)));
  await fs.rename("/lines", "/part");
  await append("d\n");
  expect([await textOf(fs, "/part"), await textOf(fs, "/lines")]).toEqual(["a\nb\nc\n", "d\n"]);
});

test("removes a torn end of many pieces", async () => {
  const fs = memoryFileSystem({ "/lines": `whole\n${"x".repeat(200_000)}` });
  await lineAppender(fs, "/lines")("next\n");
  expect(await textOf(fs, "/lines")).toBe("whole\nnext\n");
});

const reply = (n: number): object => ({ server: "http://one", version: n });

async function openOn(fs: FileSystem, replies: () => readonly object[]): Promise<Run> {
  const now = (): number => 0;
  return openRun({ directory: "/run", config: {}, environment: {}, keepCheckpoints: 1, now, fileSystem: fs, replies });
}

test("replies of servers that could not be written are written with the next, each once", async () => {
  const inner = memoryFileSystem();
  let isFull = false;
  const fs: FileSystem = {
    ...inner,
    append: async (path, data) => {
      if (!isFull || !path.endsWith("samplers.jsonl")) return inner.append(path, data);
      await inner.append(path, data.slice(0, data.length >> 1));
      throw Object.assign(new Error("ENOSPC: no space left"), { code: "ENOSPC" });
    },
  };
  const waiting = [reply(1), reply(2)];
  const run = await openOn(fs, () => waiting.splice(0));
  await run.step({ step: 1 }, run.clock());
  isFull = true;
  waiting.push(reply(3), reply(4));
  await expect(run.step({ step: 2 }, run.clock())).rejects.toFailWith("run_unwritable");
  isFull = false;
  waiting.push(reply(5));
  await run.close();
  const rows = (await textOf(inner, "/run/samplers.jsonl")).trimEnd().split("\n");
  expect(rows.map((row) => JSON.parse(row) as unknown)).toEqual([1, 2, 3, 4, 5].map(reply));
});

test("a run that cannot write its last replies reports it and unlocks its folder", async () => {
  const inner = memoryFileSystem();
  const run = await openOn(inner, () => [reply(1)]);
  const fs = inner as { append: FileSystem["append"] };
  fs.append = async () => {
    throw Object.assign(new Error("EIO: i/o error"), { code: "EIO" });
  };
  await expect(run.close()).rejects.toFailWith("run_unwritable");
  await (
    await openRun({
      directory: "/run",
      config: {},
      environment: {},
      keepCheckpoints: 1,
      now: () => 0,
      fileSystem: inner,
      resume: "where-possible",
    })
  ).close();
});

async function fileWith(text: string): Promise<string> {
  const folder = await temporaryFolder();
  const path = join(folder, "rows.jsonl");
  await writeFile(path, text);
  return path;
}

test("a number that JSON cannot hold becomes null and is listed", () => {
  expect(toLine({ step: 1, loss: NaN, norm: -Infinity, ok: 0.1 })).toBe(
    `{"step":1,"loss":null,"norm":null,"ok":0.1,"nonfinite":["loss","norm"]}\n`,
  );
  expect(toLine({ step: 1 })).toBe(`{"step":1}\n`);
});

test("a missing file has no rows; invalid objects are skipped", async () => {
  expect(await readLines(nodeFileSystem, join(tmpdir(), "laconic-no-such-file"))).toEqual([]);
  expect(await readLines(nodeFileSystem, await fileWith(`{"step":1}\n3\nnull\n\n{"st`))).toEqual([{ step: 1 }]);
});
