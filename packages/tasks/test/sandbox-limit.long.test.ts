import { benchmarkNamed, type BenchmarkProblem } from "@laconic/benchmarks";
import type { Episode } from "@laconic/core";
import { expect, onTestFinished, test } from "vitest";
import { questionTask } from "../src/text/benchmark-task.ts";

const problem: BenchmarkProblem = {
  id: "1",
  question: "def f(x):",
  gold: "",
  grading: { kind: "code", prompt: "", entryPoint: "f", test: "def check(f):\n    assert f(2) == 4\n" },
};

test("a sandbox limit gets the reward of a wrong answer and is counted", async () => {
  const data = { folder: "", offline: true };
  const resources = {
    testProblems: 1,
    modelFolder: null,
    remote: true,
    templateArguments: {},
    data,
    note: () => undefined,
  };
  const task = await questionTask({ team: "hint" }, resources, {
    task: "own",
    source: "own",
    key: "task.file",
    answer: benchmarkNamed("humaneval").answer,
    open: async () => ({ train: [problem], testProblems: [problem] }),
  });
  onTestFinished(() => task.close?.());
  const { signal } = new AbortController();
  for (const [body, grade, limit] of [
    ["return 2 * x", 1, 0],
    ["return x", 0, 0],
    ["import os; os.abort()", 0, 1],
    ["import numpy", 0, 1],
  ] as const) {
    const episode = { answer: `def f(x):\n    ${body}\n` } as Episode;
    const reward = await task.reward?.(episode, problem, { signal });
    expect(reward, body).toEqual({ team: { task: grade }, measures: { sandbox_limit: limit } });
  }
});
