import { appendFile, readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { fileJournal, type JournalEntry } from "./journal.ts";

const entry = (model: string, seq: number): JournalEntry => ({ model, seq, path: "optim_step" });
const rowsIn = async (file: string): Promise<JournalEntry[]> =>
  (await readFile(file, "utf8"))
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as JournalEntry);

test("a half-written last line is removed, any other invalid line is named", async () => {
  const file = join(await temporaryFolder(), "journal.jsonl");
  expect(await fileJournal(file).lastOf("m")).toBe(0);
  await fileJournal(file).note(entry("m", 1));
  await appendFile(file, '{"model":"m","seq":2');
  expect(await fileJournal(file).lastOf("m")).toBe(1);
  await fileJournal(file).note(entry("m", 3));
  expect((await rowsIn(file)).map(({ seq }) => seq)).toEqual([1, 3]);
  await appendFile(file, "{}\n");
  await expect(fileJournal(file).lastOf("m")).rejects.toFailWith("data_invalid", { row: 3 });
});

test("long journals keep the last number of each model, also with concurrent writers", async () => {
  const folder = await temporaryFolder();
  const file = join(folder, "journal.jsonl");
  const journal = fileJournal(file, 2000);
  for (let seq = 1; seq <= 100; seq++)
    await Promise.all(["a", "b"].map((model) => journal.note(entry(model, model === "a" ? seq : 2 * seq))));
  expect((await stat(file)).size).toBeLessThan(2500);
  for (const read of [journal, fileJournal(file)])
    expect(await Promise.all(["a", "b", "c"].map((model) => read.lastOf(model)))).toEqual([100, 200, 0]);
  expect(await readdir(folder)).toEqual(["journal.jsonl"]);
});
