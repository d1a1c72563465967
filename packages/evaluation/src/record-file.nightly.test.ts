import { open, stat } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";
import { temporaryFolder } from "../../../test/temporary-folder.ts";
import { openRecordsOf } from "./record-file.ts";

const kind = { schema: z.strictObject({ id: z.string(), text: z.string() }), keyOf: ({ id }: { id: string }) => id };

test("records longer than the longest string are read and resumed", async () => {
  const path = join(await temporaryFolder(), "samples.jsonl");
  const file = await open(path, "w");
  for (let i = 0; i < 40; i++)
    await file.write(`${JSON.stringify({ id: String(i % 3), text: "x".repeat(14 << 20) })}\n`);
  await file.write('{"id":"torn');
  await file.close();
  const { size } = await stat(path);
  expect(size).toBeGreaterThan(2 ** 29);
  const opened = await openRecordsOf(kind, path);
  expect([...opened.records.keys()]).toEqual(["0", "1", "2"]);
  await opened.append({ id: "new", text: "" });
  await opened.close();
  expect((await stat(path)).size).toBe(size - '{"id":"torn'.length + '{"id":"new","text":""}\n'.length);
});
