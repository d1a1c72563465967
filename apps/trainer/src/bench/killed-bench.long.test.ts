import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { randomFromSeed } from "@laconic/core";
import { formatUsd } from "@laconic/core/text";
import { readSpendJournal, type JournalTotals } from "@laconic/openai";
import { expect, onTestFinished, test } from "vitest";
import { laconic } from "../../test/laconic.ts";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";

const entry = join(import.meta.dirname, "../../assets/laconic.mjs");

/** A server that counts what it was asked and what it answered: 15 cents an answer, after a while of its own. */
async function server(
  delayMs: () => number,
): Promise<{ url: string; served: () => number; until(n: number): Promise<void> }> {
  let served = 0;
  const http = createServer((request, response) => {
    request.resume().on("end", () => {
      served++;
      const reply = {
        choices: [{ finish_reason: "stop", message: { content: "The answer is 4." } }],
        usage: { prompt_tokens: 9, completion_tokens: 15 },
      };
      setTimeout(
        () => response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(reply)),
        delayMs(),
      );
    });
  }).listen(0, "127.0.0.1");
  await once(http, "listening");
  onTestFinished(() => {
    http.closeAllConnections();
    http.close();
  });
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/v1`,
    served: () => served,
    async until(n) {
      while (served < n) await new Promise((resolve) => setTimeout(resolve, 1));
    },
  };
}

async function questions(folder: string, count: number): Promise<string> {
  const path = join(folder, "questions.jsonl");
  const rows = Array.from({ length: count }, (_, i) =>
    JSON.stringify({ question: `What is 2 + ${i}?`, gold: `${2 + i}` }),
  );
  await writeFile(path, `${rows.join("\n")}\n`);
  return path;
}

const cost = 0.15;
const most = 0.16;

test(
  "killed at any moment and gone on with, a bench forgets no call, and keeps its cap",
  { timeout: 240_000 },
  async () => {
    const random = randomFromSeed(4);
    const folder = await temporaryFolder();
    const { url, served, until } = await server(() => random.integer(40));
    const run = join(folder, "bench");
    const maxUsd = 25;
    const begin = [
      "--data",
      await questions(folder, 60),
      "--grading",
      "numeric",
      "--methods",
      "vanilla,sc",
      "--model",
      "fake",
      "--base-url",
      url,
      "--price",
      "0,10000",
      "--max-tokens",
      "16",
      "--max-usd",
      String(maxUsd),
      "--concurrency",
      "8",
    ];
    const journal = async (): Promise<JournalTotals> =>
      (await readSpendJournal(join(run, "spending.jsonl"))) ?? {
        spentUsd: 0,
        calls: 0,
        unsettled: { calls: 0, usd: 0 },
      };
    let before = 0;
    for (let kill = 0; kill < 8; kill++) {
      const words = kill === 0 ? begin : ["--resume"];
      const child = spawn(process.execPath, [entry, "bench", ...words, "--run", run], { stdio: "ignore" });
      const ended = once(child, "exit");
      await Promise.race([until(served() + 1 + random.integer(16)), ended]);
      child.kill("SIGKILL");
      await ended;
      const { spentUsd, calls, unsettled } = await journal();
      // Every call that the server saw is written down, settled at its cost or counted at the most that it can cost.
      expect(calls).toBeGreaterThanOrEqual(served());
      expect(spentUsd).toBeCloseTo((calls - unsettled.calls) * cost + unsettled.usd, 6);
      expect(unsettled.usd).toBeCloseTo(unsettled.calls * most, 6);
      expect(spentUsd).toBeGreaterThanOrEqual(served() * cost - 1e-9);
      expect(calls).toBeGreaterThan(before);
      before = calls;
    }
    const killed = await journal();
    expect(killed.unsettled.calls).toBeGreaterThan(8);
    const servedBefore = served();
    const { code, err, out } = await laconic("bench", "--resume", "--run", run);
    expect(err).toContain(
      `${killed.unsettled.calls} calls were running when the process ended: the cap counts at most $`,
    );
    const after = await journal();
    // Undisturbed, the journal and the server agree, and the cap is the bench's.
    expect(after.calls - killed.calls).toBe(served() - servedBefore);
    expect(after.spentUsd - killed.spentUsd).toBeCloseTo((served() - servedBefore) * cost, 6);
    expect(after.unsettled).toEqual(killed.unsettled);
    expect([code, err]).toEqual([1, expect.stringMatching(/the next call may cost \$0\.1600; .* of \$25/u)]);
    expect(after.spentUsd).toBeLessThanOrEqual(maxUsd);
    expect(after.spentUsd).toBeGreaterThan(maxUsd - 8 * most);
    expect(out).toContain(
      `In all ${after.calls} calls and ${formatUsd(after.spentUsd)}, those of failed and cut off samples included`,
    );
    expect((await readFile(join(run, "samples.jsonl"), "utf8")).split("\n").length - 1).toBeLessThan(after.calls);
  },
);

test(
  "--timeout ends a call that a server never answers, and is charged at the most that it can cost",
  { timeout: 60_000 },
  async () => {
    const folder = await temporaryFolder();
    const { url } = await server(() => 600_000);
    const run = join(folder, "bench");
    const given = [
      "--data",
      await questions(folder, 1),
      "--grading",
      "numeric",
      "--methods",
      "vanilla",
      "--model",
      "fake",
      "--base-url",
      url,
      "--price",
      "0,10000",
      "--max-tokens",
      "16",
      "--max-usd",
      "25",
      "--run",
      run,
    ];
    const { code, err } = await laconic("bench", ...given, "--timeout", "0.2");
    expect([code, err]).toEqual([1, expect.stringContaining("no answer within 200 ms")]);
    expect((await readSpendJournal(join(run, "spending.jsonl")))?.spentUsd).toBeCloseTo(most, 9);
    const refused = await laconic("bench", ...given, "--run", join(folder, "other"), "--timeout", "soon");
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining("--timeout")]);
  },
);

test("by default a reply may be as long as in the paper", async () => {
  const folder = await temporaryFolder();
  const plan = async (...more: string[]): Promise<string> => {
    const words = ["--data", await questions(folder, 1), "--grading", "numeric", "--model", "fake", "--dry-run"];
    return (await laconic("bench", ...words, "--methods", "vanilla,dylan", "--run", join(folder, "bench"), ...more))
      .err;
  };
  expect(await plan()).toContain("at most so many tokens a reply: 1024 (vanilla); 2048 (dylan)");
  expect(await plan("--max-tokens", "64")).toContain("at most so many tokens a reply: 64 (vanilla, dylan)");
});
