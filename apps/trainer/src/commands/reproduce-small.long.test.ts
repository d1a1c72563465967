import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { SampleRecord } from "@laconic/evaluation";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { cli, entry, laconic } from "../../test/laconic.ts";
import { tinyChatModel } from "../../test/tiny-chat-model.ts";

test("a small model plays the chosen methods on every family, three times, and a stopped grid resumes", async () => {
  const folder = await temporaryFolder();
  const [run, model] = [join(folder, "grid"), join(folder, "model")];
  await tinyChatModel(model, { contextLength: 2048 });
  const records = async (): Promise<SampleRecord[]> => {
    const text = await readFile(join(run, "samples.jsonl"), "utf8").catch(() => "");
    return text.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as SampleRecord]));
  };
  const words = cli`reproduce --small --model ${model} --only vanilla,sc --limit 1 --run ${run} --offline`;
  const child = spawn(process.execPath, [entry, ...words], { stdio: ["ignore", "ignore", "pipe"] });
  const said: string[] = [];
  child.stderr.on("data", (bytes: Buffer) => said.push(bytes.toString()));
  await expect.poll(async () => (await records()).length, { timeout: 60_000, interval: 50 }).toBeGreaterThan(0);
  child.kill("SIGINT");
  await once(child, "close");
  expect(said.join("")).toContain(`continue with: laconic reproduce --small --model ${model} --resume --run`);
  const { code, out } = await laconic(...cli`reproduce --small --model ${model} --resume --run ${run} --offline`);
  expect([code, out.includes("steps/all-new")]).toEqual([0, true]);
  const scored = (await records()).filter(({ status }) => status === "scored");
  const keys = scored.map(({ benchmark, method, problem, repeat }) => [benchmark, method, problem, repeat].join(" "));
  expect([keys.length, new Set(keys).size]).toEqual([5 * 2 * 3, 5 * 2 * 3]);
});
