import { mkdir, open, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { gzipMember, recordVersion, runFiles, tracePartName } from "@laconic/core/run-folder";
import { beforeAll, expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { readRunFolder } from "./run-folder.ts";

const head = { step: 1, kind: "step", version: recordVersion, isComplete: true } as const;

/** A gigabyte in a megabyte, as a folder may claim to hold it. */
let bomb: Uint8Array;
beforeAll(() => {
  bomb = gzipMember(gzipSync(Buffer.alloc(2 ** 30, "0"), { level: 1 }), head);
});

async function runFolder(): Promise<string> {
  const folder = await temporaryFolder();
  await mkdir(join(folder, runFiles.parts));
  await writeFile(join(folder, runFiles.config), '{"train":{"steps":1}}');
  return folder;
}

const refused = { code: "data_invalid", message: expect.stringContaining("bytes") as string };

test("a record that becomes a gigabyte is refused where it is read, and no other is read for it", async () => {
  const folder = await runFolder();
  await writeFile(join(folder, runFiles.episodes), bomb);
  const { steps } = await readRunFolder(folder);
  expect(() => steps.get(1)?.json()).toThrow(expect.objectContaining(refused));
});

test.each([runFiles.metrics, runFiles.evaluations])(
  "packed rows of %s that become a gigabyte are refused",
  async (name) => {
    const folder = await runFolder();
    await writeFile(join(folder, tracePartName(name, 1, 1, true)), bomb);
    await expect(readRunFolder(folder)).rejects.toMatchObject(refused);
  },
);

test("a row without an end is refused, and takes no memory of its length", async () => {
  const folder = await runFolder();
  const file = await open(join(folder, runFiles.metrics), "w");
  await file.truncate(2 ** 33);
  await file.close();
  await expect(readRunFolder(folder)).rejects.toMatchObject(refused);
});
