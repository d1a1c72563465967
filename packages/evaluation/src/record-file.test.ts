import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";
import { temporaryFolder } from "../../../test/temporary-folder.ts";
import { openRecordsOf } from "./record-file.ts";

const kind = { schema: z.strictObject({ id: z.string(), text: z.string() }), keyOf: ({ id }: { id: string }) => id };

test("an invalid line is named by its row; empty and unfinished lines are skipped", async () => {
  const path = join(await temporaryFolder(), "samples.jsonl");
  await writeFile(path, '{"id":"a","text":"é"}\n\n{"id":"b"');
  const opened = await openRecordsOf(kind, path);
  await opened.append({ id: "c", text: "" });
  await opened.close();
  expect(await readFile(path, "utf8")).toBe('{"id":"a","text":"é"}\n\n{"id":"c","text":""}\n');
  await writeFile(path, '{"id":"a","text":""}\n{}\n');
  await expect(openRecordsOf(kind, path)).rejects.toFailWith("data_invalid", { row: 2 });
});
