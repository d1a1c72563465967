import { join } from "node:path";
import { runFiles } from "@laconic/trainer";
import { folderSource, readRows } from "@laconic/trainer/reading";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { expectRefused, laconic } from "../../test/laconic.ts";
import { smallRun } from "../../test/small-run.ts";

const wholeRun = new URL("../../test/whole-run.ts", import.meta.url).pathname;

async function trained(...words: readonly string[]): Promise<unknown> {
  const run = join(await temporaryFolder(), "run");
  const { code, err } = await laconic("train", ...words, "--run", run);
  expect(err).not.toContain("laconic:");
  expect(code).toBe(0);
  const rows = await readRows(folderSource(run), runFiles.metrics);
  const isTimed = (name: string): boolean => /seconds|per_second/u.test(name);
  return rows.map((row) => Object.fromEntries(Object.entries(row).filter(([name]) => !isTimed(name))));
}

test("policies and critics on two engines learn at the same time to the same bits", async () => {
  const words = [wholeRun, "train.steps=3", "train.problemsPerStep=2", "train.episodesPerProblem=2"];
  const together = await trained(...words);
  expect(together).toHaveLength(3);
  expect(await trained(...words, "devices.policies.second=wasm")).toEqual(together);
});

test("a frozen actor and teachers on another engine give the same run", async () => {
  const words = ["preset:relay-hint", ...smallRun.slice(1), "device=wasm"];
  expect(await trained(...words, "devices.actor=wasm")).toEqual(await trained(...words));
});

test.each([
  ["devices.policies.third=wasm", "devices.policies.third: unknown policy; this run has first, second"],
  ["devices.policies.first=auto", "devices: name a device instead of auto"],
  ["devices.policies.first=abacus", "abacus"],
  ["devices.actor=wasm", "devices.actor: has no effect"],
  ["devices.teachers=wasm", "devices.teachers: has no effect"],
])("rejects %s in one line", (word, reason) => expectRefused(["train", wholeRun, word], reason));
