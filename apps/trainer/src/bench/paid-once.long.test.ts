import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { randomFromSeed, type Random } from "@laconic/core";
import { readSpendJournal } from "@laconic/openai";
import { expect, test } from "vitest";
import { recordingServer } from "../../test/recording-server.ts";
import { entry, outputOf } from "../../test/laconic.ts";
import { writeSums } from "../../test/sums.ts";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";

/** A server whose replies depend on how often it was asked: a request that is sent twice is seen, and so is a reply that differs. */
async function countingServer(random: Random): Promise<{ url: string; bodies: string[] }> {
  const bodies: string[] = [];
  const { url } = await recordingServer(async (request) => {
    const nth = bodies.push(request.text);
    await sleep(random.integer(30));
    return { text: `Reply ${nth}. The answer is ${nth % 5}.`, promptTokens: 9, completionTokens: 15 };
  });
  return { url, bodies };
}

/**
 * Starts a command and kills it after some more requests, three times; then resumes it to its end.
 * @param undisturbed - calls of the same command without kills; default: its distinct requests
 */
async function killOften(
  run: string,
  bodies: readonly string[],
  random: Random,
  [begin, resume]: readonly [readonly string[], readonly string[]],
  undisturbed?: number,
): Promise<void> {
  for (let kill = 0; kill < 3; kill++) {
    const child = spawn(process.execPath, [entry, ...(kill === 0 ? begin : resume)], { stdio: "ignore" });
    const ended = once(child, "exit");
    let isOver = false;
    void ended.then(() => (isOver = true));
    const until = bodies.length + 1 + random.integer(20);
    while (bodies.length < until && !isOver) await sleep(1);
    child.kill("SIGKILL");
    await ended;
  }
  await outputOf(...resume);
  const journal = await readSpendJournal(join(run, "spending.jsonl"));
  const { calls = 0, unsettled = { calls: 0 } } = journal ?? {};
  const most = undisturbed ?? new Set(bodies).size;
  expect(unsettled.calls).toBeGreaterThan(0);
  // Only what was in flight at a kill is sent again, and the journal has every call that the server saw.
  expect(bodies.length - most).toBeLessThanOrEqual(unsettled.calls);
  expect(calls).toBeGreaterThanOrEqual(bodies.length);
  expect(calls - unsettled.calls).toBeLessThanOrEqual(most);
}

test("a repeatedly killed bench pays once for each received reply", async () => {
  const random = randomFromSeed(5);
  const folder = await temporaryFolder();
  const { url, bodies } = await countingServer(random);
  const file = join(folder, "questions.jsonl");
  const rows = Array.from({ length: 12 }, (_, i) =>
    JSON.stringify({ question: `What is 2 + ${i}?`, gold: `${2 + i}` }),
  );
  await writeFile(file, `${rows.join("\n")}\n`);
  const run = join(folder, "bench");
  const data = ["--data", file, "--grading", "numeric", "--methods", "vanilla,sc,debate", "--max-tokens", "16"];
  const model = ["--model", "fake", "--base-url", url, "--price", "0,10000", "--concurrency", "4"];
  await killOften(run, bodies, random, [
    ["bench", ...data, ...model, "--run", run],
    ["bench", "--resume", "--run", run],
  ]);
});

test.each([true, false])(
  "a training with a server actor pays once for each received reply; known price: %s",
  async (isPriced) => {
    const random = randomFromSeed(6);
    const folder = await temporaryFolder();
    const { url, bodies } = await countingServer(random);
    const run = join(folder, "run");
    const train = { steps: 6, episodesPerProblem: 8, checkpoint: { every: 3, keep: 2 } };
    const { config } = await writeSums(folder, { actorUrl: url, train });
    const price = isPriced ? ["--actor-price", "0,10000"] : [];
    const words = [
      ["train", config, "--run", run, ...price],
      ["train", "--resume", "--run", run, ...price],
    ] as const;
    // Two evaluations of two problems and six steps of sixteen episodes. The first kills come before the first checkpoint.
    await killOften(run, bodies, random, words, 100);
  },
);
