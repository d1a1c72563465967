import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { recordingServer } from "../../test/recording-server.ts";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { cli, entry, expectRefused, laconic, outputOf } from "../../test/laconic.ts";

const data = process.env["LACONIC_DATA"];
const bench = (...words: readonly string[]): ReturnType<typeof laconic> => laconic("bench", ...words);

/** A server whose answer follows from the question alone, after a while. */
async function server(delayMs = 0): Promise<{ url: string; asked: () => number }> {
  let asked = 0;
  const { url } = await recordingServer(async ({ messages }) => {
    asked++;
    await sleep(delayMs);
    const text = `The answer is ${(messages.at(-1)?.content.length ?? 0) % 50}.`;
    return { text, promptTokens: 9, completionTokens: 5 };
  });
  return { url, asked: () => asked };
}

const words = (url: string, run: string): string[] => cli`--benchmarks gsm8k,svamp --methods vanilla,sc --model fake
  --base-url ${url} --limit 20 --offline --run ${run} --concurrency 4`;

test.for([
  [["--methods", "vanilla", "--model", "m"], "--benchmarks: missing"],
  [["--benchmarks", "gsm9k", "--methods", "vanilla", "--model", "m"], "gsm9k"],
  [["--benchmarks", "gsm8k", "--methods", "vanila", "--model", "m"], "method vanila not found; did you mean vanilla?"],
  [["--benchmarks", "gsm8k", "--methods", "vanilla", "--model", "m", "--limit", "none"], "limit"],
  [["--benchmarks", "gsm8k", "--methods", "vanilla", "--model", "m", "--price", "free"], "--price is free"],
  [["--benchmarks", "gsm8k,tldr", "--methods", "vanilla", "--model", "m"], "tldr needs the texts of two writers"],
  [["--benchmarks", "arxiv", "--methods", "vanilla", "--model", "m"], "laconic bench --tasks writing/arxiv"],
  [["--resume", "--run", "/no/such/bench"], "has no bench"],
] as const)("rejects %j", ([input, reason]) => expectRefused(["bench", ...input], reason));

test.skipIf(data === undefined)("writes a plan, samples and tables (LACONIC_DATA)", async () => {
  const [folder, { url, asked }] = [await temporaryFolder(), await server()];
  const run = join(folder, "bench");
  const plan = await bench(...words(url, run), "--dry-run", "--json");
  expect(JSON.parse(plan.out)).toMatchObject({ questions: 40, samples: 80, calls: 240 });
  expect(asked()).toBe(0);
  const { code, out, err } = await bench(...words(url, run));
  expect([code, asked()]).toEqual([0, 240]);
  expect(err).toContain("40 questions, 80 samples, at most 240 calls");
  expect(out).toContain("| Vanilla |");
  expect(await readFile(join(run, "report.md"), "utf8")).toContain("Tokens and cost");
  const report = await outputOf("view", "report", run);
  expect(report).toBe(out);
  await expectRefused(["bench", ...words(url, run)], "holds a bench already");
  expect((await bench(...words(url, run), "--dry-run")).code).toBe(0);
  const capped = join(folder, "capped");
  await expectRefused(["bench", ...words(url, capped), "--max-usd", "1"], "the price of fake is unknown; give --price");
  await expect(readdir(capped)).rejects.toThrow("ENOENT");
});

test.skipIf(data === undefined)("plan and costs include calibration (LACONIC_DATA)", async () => {
  const [folder, { url, asked }] = [await temporaryFolder(), await server()];
  const run = join(folder, "bench");
  const input = cli`--benchmarks gsm8k --methods agentprune-c --model fake --base-url ${url} --limit 1 --offline
    --run ${run} --price 1000,2000`;
  const plan = await bench(...input, "--dry-run");
  // Eleven calls for the question, and for ten others in four graphs each.
  expect(plan.err).toContain("at most 451 calls (440 for calibration)");
  const { code, out } = await bench(...input);
  expect([code, asked()]).toEqual([0, 451]);
  const [columns = [], , cells = []] = out
    .slice(out.indexOf("## Tokens and cost"))
    .split("\n")
    .slice(2)
    .map((line) => line.split(" | "));
  // Each call is of 9 and 5 tokens.
  expect(cells[columns.indexOf("cost with calibration")]).toBe("$8.57");
});

test.skipIf(data === undefined)(
  "a killed and resumed bench ends with the tables of an uninterrupted one (LACONIC_DATA)",
  async () => {
    const [folder, { url }] = [await temporaryFolder(), await server(30)];
    const [whole, cut] = [join(folder, "whole"), join(folder, "cut")];
    const child = spawn(process.execPath, [entry, "bench", ...words(url, cut)], { stdio: "ignore" });
    const samples = async (): Promise<number> =>
      (await readFile(join(cut, "samples.jsonl"), "utf8").catch(() => "")).split("\n").length - 1;
    while ((await samples()) < 15) await sleep(20);
    child.kill("SIGKILL");
    await once(child, "exit");
    expect(await samples()).toBeLessThan(80);
    const resumed = await bench("--resume", "--run", cut, "--offline");
    await bench(...words(url, whole));
    expect(resumed.code).toBe(0);
    // Seconds differ; all else is the same.
    const table = async (run: string): Promise<string> => readFile(join(run, "accuracy.csv"), "utf8");
    expect(await table(cut)).toBe(await table(whole));
  },
);

test.skipIf(data === undefined)("a spend cap covers all parts of a bench (LACONIC_DATA)", async () => {
  const [folder, { url, asked }] = [await temporaryFolder(), await server()];
  const run = join(folder, "bench");
  // A call costs 5 cents; reserved at most 63 cents.
  const input = ["--price", "0,10000", "--max-tokens", "16", "--max-usd", "1", "--methods", "vanilla"];
  const first = await bench(...words(url, run), ...input, "--concurrency", "1");
  expect([first.code, first.err]).toEqual([1, expect.stringMatching(/spent and \$0\.0000 reserved of \$1/u)]);
  const before = asked();
  expect(before).toBeGreaterThan(5);
  const again = await bench("--resume", "--run", run, "--offline");
  expect([again.code, asked(), again.err]).toEqual([1, before, expect.stringContaining(" is spent and")]);
});
