import { once } from "node:events";
import { cp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { command } from "./command.ts";
import { damages, filesIn } from "./damage.ts";
import { complaintAbout, done, isLong, temporary } from "./laconic-process.ts";

const data = process.env["LACONIC_DATA"];
const server = createServer((request, response) => {
  request.resume().once("end", () => {
    const choices = [{ finish_reason: "stop", message: { content: "#### 7" } }];
    const usage = { prompt_tokens: 9, completion_tokens: 5 };
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ choices, usage }));
  });
});

let bench = "";
beforeAll(async () => {
  if (data === undefined) return;
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  bench = join(await temporary(), "bench");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const words = ["--benchmarks", "gsm8k", "--methods", "vanilla,agentprune-c", "--model", "fake", "--base-url", url];
  await done(command(["bench", ...words, "--limit", "2", "--offline", "--run", bench]));
}, 60_000);
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

/** Each file meets one of two commands under each damage; `--long`: both. */
const cases = Object.entries(damages).map(([name, damage], i) => ({ name, damage, i }));

test.skipIf(data === undefined).each(cases)(
  "a bench with a file $name is gone on with, or refused in a line (LACONIC_DATA)",
  { timeout: isLong ? 240_000 : 120_000 },
  async ({ damage, i }) => {
    const files = await filesIn(bench);
    expect(files.length).toBeGreaterThan(4);
    for (const [j, file] of files.entries()) {
      const folder = join(await temporary(), "bench");
      await cp(bench, folder, { recursive: true });
      await damage(join(folder, file), join(folder, files[(j + 1) % files.length] as string));
      const commands = [
        ["report", folder],
        ["bench", "--resume", "--run", folder, "--offline", "--trust"],
      ];
      for (const words of commands.filter((_, k) => isLong || (i + j) % commands.length === k)) {
        const ended = await command(words);
        expect([file, words[0], complaintAbout(ended)]).toEqual([file, words[0], null]);
      }
      await rm(folder, { recursive: true });
    }
  },
);
