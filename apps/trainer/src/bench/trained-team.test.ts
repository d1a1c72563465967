import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { baselineNamed } from "@laconic/baselines";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { recordingTerminal } from "../../test/recording-terminal.ts";
import { checkBenchConfig, methodSpec } from "../../../../packages/evaluation/src/bench/bench-config.ts";
import { prepareBench } from "../../../../packages/evaluation/src/bench/prepare-bench.ts";
import { scoredSplit, trainedTeam } from "../../../../packages/runtime/src/bench/play-questions.ts";
import { parseAppConfig } from "../../../../packages/runtime/src/index.ts";

test("a method is a published one or a trained team with its run", () => {
  expect(methodSpec("sc")).toEqual({ name: "sc", run: null });
  expect(methodSpec("agent-gspo=runs/a=b")).toEqual({ name: "agent-gspo", run: "runs/a=b" });
  for (const wrong of ["nobody", "=runs/x", "a b=runs/x", "team="])
    expect(() => methodSpec(wrong)).toFailWith("config_invalid");
});

const scored = (task: object): ReturnType<typeof scoredSplit> =>
  scoredSplit(parseAppConfig({ task: { name: "benchmark", team: "star", ...task } }));

test.each([
  [{ benchmark: "humaneval" }, "ours-test"],
  [{ benchmark: "math500" }, "ours-test"],
  [{ benchmark: "math500", split: "train" }, undefined],
  [{ benchmark: "multiarith", split: "train" }, "test"],
  [{ benchmark: "gsm8k" }, undefined],
  [{ benchmark: "svamp", file: "problems.jsonl" }, undefined],
] as const)("a team trained on %j is scored on %s, else on the default split", (task, split) => {
  expect(scored(task)?.split).toBe(split);
});

const config = {
  benchmarks: ["svamp"],
  model: "m",
  baseUrl: "http://localhost",
  limit: 1,
  seed: "0",
  repeats: 1,
  temperature: null,
  maxTokens: 8,
  shots: 0,
  maxUsd: null,
  price: null,
  concurrency: 1,
};

test("teams of different parts of a benchmark are rejected in one bench", async () => {
  const tasks: readonly object[] = [{ split: "train" }, { split: "ours-train" }];
  const playing = prepareBench(checkBenchConfig({ ...config, methods: ["0=runs/a", "1=runs/b"] }, "bench"), {
    trainedTeam: async (name) => ({
      method: { ...baselineNamed("cot"), name },
      asksServer: false,
      unpriced: null,
      scored: scored({ benchmark: "svamp", ...tasks[Number(name)] }),
      open: async () => [],
      close: async () => undefined,
    }),
    ownMethods: [],
    ownBoards: [],
    open: () => ({ folder: "" }),
    hub: { cacheFolder: "", offline: true },
    partitioner: { seed: "0", dealTo: () => () => null },
    note: () => undefined,
  });
  await expect(playing).rejects.toThrow(
    "1 is scored on svamp ours-test, another team on test; play them in two benches",
  );
});

test("rejects two methods with one name", () => {
  expect(checkBenchConfig({ ...config, methods: ["sc", "team=runs/x"] }, "bench").methods).toHaveLength(2);
  expect(() => checkBenchConfig({ ...config, methods: ["sc", "sc=runs/x"] }, "bench")).toThrow(
    /two methods are named sc/u,
  );
});

test("rejects a run for other questions and a folder without a run", async () => {
  const folder = await temporaryFolder();
  const terminal = recordingTerminal();
  await expect(trainedTeam("team", folder, terminal)).rejects.toFailWith("run_missing");
  await mkdir(join(folder, "run"));
  await writeFile(join(folder, "run", "config.json"), JSON.stringify({ task: { name: "relay", level: "one-fact" } }));
  await expect(trainedTeam("team", join(folder, "run"), terminal)).rejects.toFailWith("config_invalid");
});
