import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { done, laconic, temporary, type Ended } from "./chaos/laconic-process.ts";
import { contentOf, trainWords } from "./chaos/small-run.ts";
import { root } from "./workspace.ts";

const preload = `--import ${join(root, "test/as-platform.mjs")}`;
const server = createServer((request, response) => {
  request.resume().once("end", () => {
    const choices = [{ finish_reason: "stop", message: { content: "```python\nprint(7)\n```\n#### 7" } }];
    const body = JSON.stringify({ choices, usage: { prompt_tokens: 9, completion_tokens: 5 } });
    response.writeHead(200, { "content-type": "application/json" }).end(body);
  });
});

let here = "";
beforeAll(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  here = join(await temporary(), "run");
  await done(laconic(trainWords(here)));
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

test.each([
  { system: "win32", refused: ["EPERM rename", "EBUSY rename", "EPERM fsync"] },
  { system: "darwin", refused: [] },
])("runs and benches have equal bytes with the answers of $system", async ({ system, refused }) => {
  const folder = await temporary();
  const log = join(folder, "log");
  const as = (words: readonly string[]): Promise<Ended> =>
    laconic(words, { environment: { NODE_OPTIONS: preload, AS_PLATFORM: system, AS_PLATFORM_LOG: log } });
  const [run, bench] = [join(folder, "run"), join(folder, "bench")];
  await done(as(trainWords(run)));
  expect(await contentOf(run)).toEqual(await contentOf(here));
  for (const words of [
    ["train", "--resume", "--run", run],
    ["view", "report", run],
    ["verify", run, "--allow", "metrics,settings,weights,files"],
  ])
    await done(as(words));

  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const served = ["--methods", "vanilla", "--model", "fake", "--base-url", url];
  const questions = [7, 8].map((gold) => JSON.stringify({ question: `What is ${gold} + 0?`, gold }));
  await writeFile(join(folder, "sums.jsonl"), questions.join("\r\n"));
  await done(as(["bench", "--data", join(folder, "sums.jsonl"), "--grading", "numeric", ...served, "--run", bench]));
  expect(await readFile(join(bench, "report.md"), "utf8")).toContain("50.0");
  const reply = await readFile(log, "utf8").catch(() => "");
  for (const text of refused) expect(reply).toContain(text);
});
