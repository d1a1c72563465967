import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { nodeFileSystem } from "#platform";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { readLines, toLine } from "./file-system.ts";

async function file(text: string): Promise<string> {
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

test("a missing file has no rows; what is no object is left out", async () => {
  expect(await readLines(nodeFileSystem, join(tmpdir(), "laconic-no-such-file"))).toEqual([]);
  expect(await readLines(nodeFileSystem, await file(`{"step":1}\n3\nnull\n\n{"st`))).toEqual([{ step: 1 }]);
});
