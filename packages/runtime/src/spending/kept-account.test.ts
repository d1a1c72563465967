import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { SpendAccount } from "@laconic/openai";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { keepCalls, spentIn } from "./kept-account.ts";

test("a run that kept a sum before there was a journal goes on from it", async () => {
  const folder = await temporaryFolder();
  expect(await spentIn(folder)).toBe(0);
  await writeFile(join(folder, "spending.json"), '{"spentUsd":0.75}\n');
  expect(await spentIn(folder)).toBe(0.75);
  const journal = await keepCalls(folder, new SpendAccount(1, 0.75));
  await journal.close();
  expect(await spentIn(folder)).toBe(0.75);
});

test("a sum that says something else is refused by name", async () => {
  const folder = await temporaryFolder();
  await writeFile(join(folder, "spending.json"), "null");
  await expect(spentIn(folder)).rejects.toThrowError(/spending\.json does not say what was spent/u);
});
