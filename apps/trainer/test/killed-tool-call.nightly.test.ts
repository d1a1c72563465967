import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { entry, outputOf } from "./laconic.ts";
import { temporaryFolder } from "../../../test/temporary-folder.ts";

const config = fileURLToPath(new URL("fixtures/slow-tool.ts", import.meta.url));

const files = ["metrics.jsonl", "evaluations.jsonl", "episodes.jsonl.gz"];
const bytesOf = (run: string): Promise<Buffer[]> => Promise.all(files.map((name) => readFile(join(run, name))));

async function trained(...words: readonly string[]): Promise<void> {
  await outputOf("train", config, ...words);
}

test("a run killed while a tool call is pending resumes to equal bytes", async () => {
  const folder = await temporaryFolder();
  const [whole, killed] = [join(folder, "whole"), join(folder, "killed")];
  await trained("--run", whole);
  const rows = (await readFile(join(whole, "metrics.jsonl"), "utf8")).trimEnd().split("\n");
  const callsPerEpisode = rows.map((row) => (JSON.parse(row) as Record<string, number>)["measures/calls"] ?? 0);
  expect(Math.min(...callsPerEpisode)).toBeGreaterThan(1);

  // In the middle of the third step: the evaluation before has two episodes, a step four.
  const before = 3 * 2 + 4 * ((callsPerEpisode[0] ?? 0) + (callsPerEpisode[1] ?? 0)) + 3 * 2;
  const child = spawn(process.execPath, [entry, "train", config, "--run", killed], {
    env: { ...process.env, LACONIC_TEST_HANGS_AT: String(Math.round(before) + 3) },
    stdio: ["ignore", "ignore", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let reply = "";
  child.stderr.on("data", (chunk: Buffer) => (reply += chunk.toString()));
  await expect.poll(() => reply, { timeout: 120_000 }).toMatch(/call \d+ is pending/u);
  child.kill("SIGKILL");
  expect(await once(child, "exit")).toEqual([null, "SIGKILL"]);

  const left = (await readFile(join(killed, "metrics.jsonl"), "utf8")).trimEnd().split("\n");
  expect(left).toEqual(rows.slice(0, left.length));
  expect(left.length).toBeGreaterThan(0);
  expect(left.length).toBeLessThan(rows.length);
  await trained("--resume", "--run", killed);
  expect(await bytesOf(killed)).toEqual(await bytesOf(whole));
});
