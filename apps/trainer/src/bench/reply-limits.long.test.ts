import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { readSpendJournal } from "@laconic/openai";
import { expect, test } from "vitest";
import { recordingServer } from "../../test/recording-server.ts";
import { cli, expectRefused, laconic } from "../../test/laconic.ts";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";

async function questions(folder: string, count: number): Promise<string> {
  const path = join(folder, "questions.jsonl");
  const rows = Array.from({ length: count }, (_, i) =>
    JSON.stringify({ question: `What is 2 + ${i}?`, gold: `${2 + i}` }),
  );
  await writeFile(path, `${rows.join("\n")}\n`);
  return path;
}

test("--timeout ends an unanswered call and charges its highest possible cost", async () => {
  const folder = await temporaryFolder();
  const { url } = await recordingServer(() => new Promise(() => undefined)); // never answers
  const run = join(folder, "bench");
  const input = cli`--data ${await questions(folder, 1)} --grading numeric --methods vanilla --model fake
    --base-url ${url} --price 0,10000 --max-tokens 16 --max-usd 25 --run ${run}`;
  const { code, err } = await laconic("bench", ...input, "--timeout", "0.2");
  expect([code, err]).toEqual([1, expect.stringContaining("no answer within 200 ms")]);
  expect((await readSpendJournal(join(run, "spending.jsonl")))?.spentUsd).toBeCloseTo(0.16, 9);
  await expectRefused(["bench", ...input, "--run", join(folder, "other"), "--timeout", "soon"], "--timeout");
});

test("the default reply limit is the paper's", async () => {
  const folder = await temporaryFolder();
  const plan = async (...more: string[]): Promise<string> => {
    const words = ["--data", await questions(folder, 1), "--grading", "numeric", "--model", "fake", "--dry-run"];
    return (await laconic("bench", ...words, "--methods", "vanilla,dylan", "--run", join(folder, "bench"), ...more))
      .err;
  };
  expect(await plan()).toContain("max tokens per reply: 1024 (vanilla); 2048 (dylan)");
  expect(await plan("--max-tokens", "64")).toContain("max tokens per reply: 64 (vanilla, dylan)");
});
