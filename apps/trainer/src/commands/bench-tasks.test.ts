import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { recordingServer } from "../../test/recording-server.ts";
import { cli, laconic, type CommandOutput } from "../../test/laconic.ts";

const bench = (...words: readonly string[]): Promise<CommandOutput> => laconic("bench", ...words);

async function temporary(): Promise<string> {
  return join(await temporaryFolder(), "bench");
}

test("plays all five baselines on the relay's writers, and a second run repeats no sample", async () => {
  const folder = await temporary();
  const words = ["--tasks", "relay-writers", "--model", "shipped", "--device", "wasm", "--limit", "3", "--run", folder];
  const { code, out, err } = await bench(...words, "--json");
  expect([code, err]).toEqual([0, expect.any(String)]);
  const { summaries } = JSON.parse(out) as { summaries: { method: string; scored: number; calls: number }[] };
  expect(summaries.map(({ method, scored, calls }) => [method, scored, calls])).toEqual([
    ["single", 3, 2],
    ["concatenation", 3, 2],
    ["pipeline", 3, 2],
    ["discussion-1", 3, 4],
    ["discussion-2", 3, 6],
  ]);
  const before = await readFile(join(folder, "pairs.jsonl"), "utf8");
  expect((await bench(...words)).err).toContain("holds a bench already");
  const again = await bench("--resume", "--run", folder);
  expect(again.out).toContain("## relay-writers: tokens and seconds per problem");
  expect(await readFile(join(folder, "pairs.jsonl"), "utf8")).toBe(before);
});

const data = process.env["LACONIC_DATA"];

test.skipIf(data === undefined)("a spend cap stops a bench and holds after a resume (LACONIC_DATA)", async () => {
  const folder = await temporary();
  const { url, served } = await recordingServer(() => "four");
  const words = ["--tasks", "writing/tldr", "--model", "m", "--base-url", url, "--limit", "40", "--run", folder];
  const capped = await bench(...words, "--methods", "single", "--price", "0,1", "--max-usd", "0.00053", "--json");
  expect([capped.code, capped.err]).toEqual([1, expect.stringContaining("stopped: the next call may cost $0.00")]);
  const { spentUsd } = JSON.parse(capped.out) as { spentUsd: number };
  expect(spentUsd).toBeCloseTo(served.length / 1e6, 12);
  expect(served.length).toBeGreaterThan(0);
  const before = served.length;
  // One call of an unfinished sample has no record: what is kept is spent.
  const again = await bench("--resume", "--run", folder, "--json");
  expect([again.code, JSON.parse(again.out)]).toEqual([1, expect.objectContaining({ spentUsd: expect.any(Number) })]);
  expect(served.length - before).toBeLessThanOrEqual(2);
});

test.for([
  [["--tasks", "relay-writers", "--model", "shipped", "--judge", "m"], "--judge: has no effect with --tasks"],
  [["--benchmarks", "gsm8k", "--methods", "vanilla", "--model", "m", "--top-p", "1"], "has no effect without --tasks"],
  [["--tasks", "relay-writers"], "--model: missing"],
  [["--tasks", "relay-hint", "--model", "shipped", "--device", "wasm"], "has no baselines"],
  [["--tasks", "writing/novel", "--model", "shipped"], "tasks.0.form"],
  [cli`--tasks relay-writers --model shipped --device wasm --methods pipelne`, "did you mean pipeline?"],
  [["--tasks", "relay-writers", "--methods", "single,single", "--model", "shipped"], "two methods are named single"],
  [cli`--tasks relay-writers --model shipped --device wasm --max-usd 1`, "--max-usd: has no effect without --base-url"],
  [
    ["--tasks", "writing/tldr", "--model", "m", "--base-url", "http://127.0.0.1:9/v1", "--max-usd", "1"],
    "the price of m is unknown; give --price",
  ],
  [["--tasks", "relay-writers", "--methods", "a=/nowhere", "--model", "shipped"], "/nowhere has no run"],
] as const)("rejects %j", async ([words, reason]) => {
  const { code, err } = await bench(...words, "--run", await temporary());
  expect(code).not.toBe(0);
  expect(err).toContain(reason);
});
