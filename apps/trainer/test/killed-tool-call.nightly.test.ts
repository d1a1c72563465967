import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { entry, outputOf, rowsIn } from "./laconic.ts";
import { temporaryFolder } from "../../../test/temporary-folder.ts";

const config = fileURLToPath(new URL("fixtures/slow-tool.ts", import.meta.url));

const files = ["metrics.jsonl", "evaluations.jsonl", "episodes.jsonl.gz"];
const bytesOf = (run: string): Promise<Buffer[]> => Promise.all(files.map((name) => readFile(join(run, name))));

test("a run killed while a tool call is pending resumes to equal bytes", async () => {
  const folder = await temporaryFolder();
  const [whole, killed] = [join(folder, "whole"), join(folder, "killed")];
  await outputOf("train", config, "--run", whole);
  const rows = await rowsIn(whole, "metrics.jsonl");
  const callsPerEpisode = rows.map((row) => row["measures/calls"] ?? 0);
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

  const left = await rowsIn(killed, "metrics.jsonl");
  expect(left).toEqual(rows.slice(0, left.length));
  expect(left.length).toBeGreaterThan(0);
  expect(left.length).toBeLessThan(rows.length);
  await outputOf("train", config, "--resume", "--run", killed);
  expect(await bytesOf(killed)).toEqual(await bytesOf(whole));
});
