import { open, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { gzipMember, recordVersion, runFiles } from "@laconic/core/run-folder";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { verifyRun } from "../verify-run.ts";

const head = { step: 1, kind: "step", version: recordVersion, isComplete: true } as const;

async function runFolder(): Promise<string> {
  const folder = await temporaryFolder();
  await writeFile(join(folder, runFiles.config), '{"train":{"steps":1}}');
  return folder;
}

const refused = { code: "data_invalid", message: expect.stringContaining("bytes") as string };

test("a record that unpacks to a gigabyte is rejected", async () => {
  const folder = await runFolder();
  await writeFile(
    join(folder, runFiles.episodes),
    gzipMember(gzipSync(Buffer.alloc(2 ** 30, "0"), { level: 1 }), head),
  );
  await expect(verifyRun(folder)).rejects.toMatchObject(refused);
});

test("a row without an end is refused, and takes no memory of its length", async () => {
  const folder = await runFolder();
  const file = await open(join(folder, runFiles.metrics), "w");
  await file.truncate(2 ** 33);
  await file.close();
  await expect(verifyRun(folder)).rejects.toMatchObject(refused);
});

test("a folder of which every record is damaged is refused by its step", async () => {
  const folder = await runFolder();
  await writeFile(join(folder, runFiles.episodes), gzipMember(gzipSync('{"utterances":7}'), head));
  await expect(verifyRun(folder)).rejects.toFailWith("data_invalid", "the record of step 1 is damaged");
});
