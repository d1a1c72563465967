import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { BenchmarkProblem } from "@laconic/benchmarks";
import { questionKey, type ChatTokenizer, type Problem, type Random } from "@laconic/core";
import { solo, type AgentView } from "@laconic/topologies";
import { afterAll, describe, expect, test, vi } from "vitest";
import {
  defineTask,
  relayCriticTask,
  relayFeedbackTask,
  relayHintTask,
  relayTask,
  relayWritersTask,
} from "../src/index.ts";
import type { RelayLevelName, TeamTask } from "../src/index.ts";
import { temporaryFolder } from "../../../test/temporary-folder.ts";
import { benchmarkTask, codeTask, dataTask, writingTask, type TaskResources } from "../src/text/index.ts";
import { gradingOf, taskCases, type TaskSubject } from "../src/testing/index.ts";

// The model's tokenizer is not what is tested here.
vi.mock("@laconic/hub/tokenizers", () => ({ loadTokenizer: async () => ({}) as ChatTokenizer }));

const gold = ({ gold: answer }: Problem): string => answer;
const levels: readonly RelayLevelName[] = ["one-fact", "two-facts", "four-holders"];

const worlds: Readonly<Record<string, () => TaskSubject>> = {
  ...Object.fromEntries(levels.map((level) => [`relay/${level}`, () => ({ task: relayTask({ level }), solve: gold })])),
  "relay-hint": () => ({ task: relayHintTask({ testProblems: 20 }), solve: gold }),
  "relay-critic": () => ({ task: relayCriticTask({ testProblems: 20 }), solve: gold }),
  "relay-writers": () => ({
    task: relayWritersTask({ testProblems: 20 }),
    solve: ({ gold: [key, value] }) => ({ first: `${key}${value}`, second: `the value of ${key} is ${value}` }),
  }),
  "relay-feedback": () => ({
    task: relayFeedbackTask({ testProblems: 20 }),
    solve: ({ gold: both }) => {
      const [one = "", other = ""] = both.split(" ");
      return { first: one, second: other };
    },
  }),
};

describe.each(Object.entries(worlds))("%s", (_name, create) => {
  for (const item of taskCases) test(item.name, () => item.run(create));
});

const data = process.env["LACONIC_DATA"] ?? "";
const resources: TaskResources = {
  testProblems: 20,
  modelFolder: "model",
  templateArguments: {},
  data: { folder: data, offline: true },
  note: () => undefined,
};
const boxed = (problem: Problem): string => `\\boxed{${problem.gold}}`;

const overBenchmarks: Readonly<Record<string, () => Promise<TaskSubject>>> = {
  "benchmark/gsm8k/hint": async () => ({
    task: await benchmarkTask({ name: "benchmark", benchmark: "gsm8k", team: "hint" }, resources),
    solve: boxed,
  }),
  "benchmark/aqua/star": async () => ({
    task: await benchmarkTask({ name: "benchmark", benchmark: "aqua", team: "star" }, resources),
    solve: boxed,
  }),
  "benchmark/humaneval/star": async () => {
    functions ??= benchmarkTask({ name: "benchmark", benchmark: "humaneval", team: "star" }, resources);
    return {
      task: { ...(await functions), close: async () => undefined },
      solve: (problem) => {
        const { grading, solution = "" } = problem as BenchmarkProblem;
        return `\`\`\`python\n${grading.kind === "code" ? grading.prompt : ""}${solution}\n\`\`\``;
      },
    };
  },
  "writing/tldr": async () => ({ task: await writingTask({ form: "tldr" }, resources) }),
  "code/coophumaneval": async () => {
    // One sandbox for all cases: opening one takes seconds.
    program ??= codeTask({ benchmark: "coophumaneval", turns: 1 }, resources);
    return { task: { ...(await program), close: async () => undefined } };
  },
};
let program: Promise<TeamTask> | undefined;
let functions: Promise<TeamTask> | undefined;
afterAll(async () => {
  await (await program)?.close?.();
  await (await functions)?.close?.();
});

test.skipIf(data === "").each(["mmlu", "gsm8k", "multiarith", "svamp", "aqua", "math500", "humaneval"])(
  "a star on %s trains and is scored on different questions, from files alone (LACONIC_DATA)",
  async (benchmark) => {
    const task = await benchmarkTask({ name: "benchmark", benchmark, team: "star" }, resources);
    const { pool = [], validation = [], testProblems } = task;
    const tested = new Set(testProblems.map((problem) => questionKey(problem)));
    expect([...pool, ...validation].filter((problem) => tested.has(questionKey(problem)))).toEqual([]);
    expect(testProblems).toHaveLength(20);
    expect(pool.length).toBeGreaterThan(100);
    expect(pool.every(({ views = {} }) => Object.keys(views).length >= 2)).toBe(true);
    await task.close?.();
  },
);

describe.skipIf(data === "").each(Object.entries(overBenchmarks))("%s (LACONIC_DATA)", (_name, create) => {
  for (const item of taskCases) test(item.name, () => item.run(create));
});

describe("data/debate", () => {
  const create = async (): Promise<TaskSubject> => {
    const folder = await temporaryFolder();
    const file = join(folder, "sums.csv");
    const rows = Array.from({ length: 50 }, (_, i) => `"What is ${i}, plus ${i}?",${2 * i}`);
    await writeFile(file, ["question,gold", ...rows].join("\n"));
    const settings = { train: file, testProblems: { share: 0.2 }, grading: "numeric" } as const;
    return { task: await dataTask({ name: "data", data: settings, team: "debate" }, resources), solve: boxed };
  };
  for (const item of taskCases) test(item.name, () => item.run(create));
});

const problems = (from: number, to: number): Problem[] =>
  Array.from({ length: to - from }, (_, i) => ({
    id: `${from + i}`,
    question: `${from + i} + 1`,
    gold: `${from + i + 1}`,
  }));
const prompt = ({ question }: AgentView): { kind: "text"; text: string } => ({ kind: "text", text: question });
const sound: TaskSubject = {
  task: defineTask({
    name: "sums",
    topology: solo({ id: "solver", role: "solver", prompt, maxTokens: 8 }),
    train: problems(10, 110),
    testProblems: problems(0, 10),
    grader: (answer, problem) => (answer === problem.gold ? 1 : 0),
  }),
  solve: gold,
};

async function failures(change: Partial<TaskSubject["task"]>, solve = sound.solve): Promise<string[]> {
  const subject = { ...sound, task: { ...sound.task, ...change }, ...(solve && { solve }) };
  const failed: string[] = [];
  for (const { name, run } of taskCases) await run(() => subject).catch(() => failed.push(name));
  return failed;
}

test("a sound task passes every case", async () => {
  expect(await failures({})).toEqual([]);
});

const [draws, opened, ids, held, pool, agents, grades, repeats, plays] = taskCases.map(({ name }) => name);

test("each fault fails its case", async () => {
  let turn = 0;
  const [first = { id: "", question: "", gold: "" }] = sound.task.testProblems;
  const restless = { problems: (random: Random, count: number) => sound.task.problems(random.split(turn++), count) };
  expect(await failures(restless)).toEqual([draws]);
  expect(await failures({ testProblems: [first, first] })).toEqual([ids]);
  expect(await failures({ testProblems: [{ ...first, id: "10" }] })).toEqual([ids, held]);
  expect(await failures({ testProblems: [{ id: "x", question: " 10 +  1", gold: "11" }] })).toEqual([held]);
  expect(await failures({ pool: problems(10, 20) })).toEqual([pool]);
  expect(await failures({ trainedAgents: ["critic"] })).toEqual([agents]);
  expect(await failures({ testProblems: [{ ...first, views: { critic: "?" } }] })).toEqual([agents]);
  expect(await failures(gradingOf(async () => 2))).toEqual([grades, repeats, plays]);
  expect(await failures(gradingOf(async () => ({ undecided: "late" })))).toEqual([grades, repeats, plays]);
  expect(await failures(gradingOf(async (answer) => (answer === null ? 1 : 0)))).toEqual([grades]);
  expect(
    await failures(
      gradingOf(async () => (turn++ % 2) / 2),
      () => "?",
    ),
  ).toContain(repeats);
  const topology = { ...sound.task.topology, run: () => Promise.reject(new Error("broken")) };
  expect(await failures({ topology })).toEqual([plays]);
  const changing = taskCases.find(({ name }) => name === opened);
  const other = (): TaskSubject => ({ ...sound, task: { ...sound.task, testProblems: problems(turn++, 200) } });
  await expect(changing?.run(other)).rejects.toThrow(/test problems/u);
});
