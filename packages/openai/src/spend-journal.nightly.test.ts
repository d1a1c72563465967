import { open, stat } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../test/temporary-folder.ts";
import { openSpendJournal, readSpendJournal } from "./index.ts";

test("a journal longer than the longest string is read and continued", async () => {
  const path = join(await temporaryFolder(), "spending.jsonl");
  const room = " ".repeat(14 << 20);
  const file = await open(path, "w");
  for (let call = 1; call <= 40; call++) await file.write(`{"call":${call},"reserved":1${room}}\n`);
  await file.write('{"call":1,"usd":0.5}\n{"call":2');
  await file.close();
  expect((await stat(path)).size).toBeGreaterThan(2 ** 29);
  expect(await readSpendJournal(path)).toEqual({ spentUsd: 39.5, calls: 40, unsettled: { calls: 39, usd: 39 } });
  const journal = await openSpendJournal(path);
  await journal.begin(2);
  await journal.close();
  expect(await readSpendJournal(path)).toMatchObject({ spentUsd: 41.5, calls: 41 });
});
