import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { recordingTerminal } from "../cli/recording-terminal.ts";
import { checkBenchConfig, methodSpec } from "../../../../packages/evaluation/src/bench/bench-config.ts";
import { trainedTeam } from "../../../../packages/runtime/src/bench/play-questions.ts";

test("a method is a published one or a trained team with its run", () => {
  expect(methodSpec("sc")).toEqual({ name: "sc", run: null });
  expect(methodSpec("agent-gspo=runs/a=b")).toEqual({ name: "agent-gspo", run: "runs/a=b" });
  for (const wrong of ["nobody", "=runs/x", "a b=runs/x", "team="])
    expect(() => methodSpec(wrong)).toThrowError(expect.objectContaining({ code: "config_invalid" }));
});

test("rejects two methods with one name", () => {
  const config = {
    benchmarks: ["gsm8k"],
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
  expect(checkBenchConfig({ ...config, methods: ["sc", "team=runs/x"] }, "bench").methods).toHaveLength(2);
  expect(() => checkBenchConfig({ ...config, methods: ["sc", "sc=runs/x"] }, "bench")).toThrow(
    /two methods are named sc/u,
  );
});

test("rejects a run for other questions and a folder without a run", async () => {
  const folder = await temporaryFolder();
  const terminal = recordingTerminal();
  await expect(trainedTeam("team", folder, terminal)).rejects.toMatchObject({ code: "run_missing" });
  await mkdir(join(folder, "run"));
  await writeFile(join(folder, "run", "config.json"), JSON.stringify({ task: { name: "relay", level: "one-fact" } }));
  await expect(trainedTeam("team", join(folder, "run"), terminal)).rejects.toMatchObject({ code: "config_invalid" });
});
