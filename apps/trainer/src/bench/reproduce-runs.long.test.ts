import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { benchmarkNamed, openSplit } from "@laconic/benchmarks";
import type { ReproducedCell } from "@laconic/evaluation/reproduction";
import { expect, test } from "vitest";
import { cli, entry, expectRefused, outputOf } from "../../test/laconic.ts";
import { recordingServer } from "../../test/recording-server.ts";
import { writeSums } from "../../test/sums.ts";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";

const data = process.env["LACONIC_DATA"];
interface Reproduced {
  readonly cells: readonly ReproducedCell[];
}

async function trainedRuns(right: number, seeds: readonly number[]) {
  const folder = await temporaryFolder();
  const { problems } = await openSplit(benchmarkNamed("aime24"), { folder: data as string, offline: true });
  const { url, served } = await recordingServer(async ({ messages }) => {
    await sleep(5);
    const asked = messages.map(({ content }) => content).join("\n");
    const known = problems.slice(0, right).find(({ question }) => asked.includes(question.slice(0, 60)));
    return `The answer is \\boxed{${known?.gold ?? "no"}}.`;
  });
  const { config } = await writeSums(folder, { actorTokens: 32, contextLength: 4096, actorUrl: url });
  const runs = seeds.map((seed) => join(folder, `run-${seed}`));
  for (const [i, seed] of seeds.entries())
    await outputOf("train", config, `train.seed=${seed}`, "--run", runs[i] as string);
  return { folder, runs, served };
}

test.skipIf(data === undefined)(
  "a trained row is played by its runs, tested and listed with its departures (LACONIC_DATA)",
  { timeout: 240_000 },
  async () => {
    const { folder, runs, served } = await trainedRuns(5, [0, 1]);
    const [first = "", second = ""] = runs;
    const only = cli`reproduce agentpo --as Llama-3.1-8B --only agentpo/aime24 --offline --json`;
    const words = [...only, ...runs.flatMap((run) => ["--run-of", `agentpo=${run}`])];
    const { cells } = JSON.parse(await outputOf(...words, "--run", join(folder, "bench"))) as Reproduced;
    const [share, ...others] = cells.filter(({ benchmark }) => benchmark === "aime24");
    // 16.7 % of 30 problems: 5.
    expect(share).toMatchObject({ method: "agentpo", runs: 2, scored: 30, published: "16.7 %", verdict: "compatible" });
    expect([share?.ours?.value, others]).toEqual([5 / 30, []]);
    expect(share?.p).toBeGreaterThan(0.99);
    expect(share?.differs).toContain("Model differs: model, published Qwen2.5-3B-Instruct.");
    expect(
      share?.differs.filter((text) => text.startsWith("Settings differ from those of preset:agentpo-hint")),
    ).toHaveLength(1);
    const good = await trainedRuns(20, [0]);
    const better = JSON.parse(
      await outputOf(...only, "--run-of", `agentpo=${good.runs[0]}`, "--run", join(good.folder, "bench")),
    ) as Reproduced;
    expect(better.cells.find(({ benchmark }) => benchmark === "aime24")).toMatchObject({
      ours: { value: 20 / 30 },
      verdict: "different",
    });
    await expectRefused([...only.slice(0, -1), "--run-of", `agentpo=${first},agentpo=${first}`], "same seed");
    await expectRefused([...only.slice(0, -1), "--run-of", `nobody=${second}`], "agentpo-debate");

    const run = join(folder, "killed");
    for (const typed of [
      [...words, "--run", run],
      ["reproduce", "agentpo", "--as", "Llama-3.1-8B", "--offline", "--resume", "--run", run],
    ]) {
      const child = spawn(process.execPath, [entry, ...typed], { stdio: "ignore" });
      const ended = once(child, "exit");
      const until = served.length + 12;
      while (served.length < until && child.exitCode === null) await sleep(1);
      child.kill("SIGKILL");
      expect(await ended).toEqual([null, "SIGKILL"]);
    }
    const resumed = await outputOf(...cli`reproduce agentpo --as Llama-3.1-8B --offline --json --resume --run ${run}`);
    expect((JSON.parse(resumed) as Reproduced).cells).toEqual(cells);
  },
);
