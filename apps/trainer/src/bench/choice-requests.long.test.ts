import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { baselines } from "@laconic/baselines";
import { benchmarkNamed, openSplit, questionText, type BenchmarkProblem, type OpenOptions } from "@laconic/benchmarks";
import { mathsGrader } from "@laconic/grading";
import { benchJobs, openRecords, runBench, type BenchSet } from "@laconic/evaluation";
import { openAiModel } from "@laconic/openai";
import { afterAll, describe, expect, test } from "vitest";
import { benchSets } from "../../../../packages/evaluation/src/bench/bench-sets.ts";
import { checkBenchConfig } from "../../../../packages/evaluation/src/bench/bench-config.ts";
import { recordingServer } from "../../test/recording-server.ts";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";

const maths = mathsGrader();
afterAll(() => maths.close());

const choiceBenchmarks = ["mmlu", "mmlu-153", "aqua"] as const;
const methods = baselines.map(({ name }) => name);
const data = process.env["LACONIC_DATA"];

/** Takes every method over a benchmark's questions, as the command does, and gives back what the server was asked. */
async function requests(
  benchmark: string,
  open: OpenOptions,
  { limit, shots }: { readonly limit: number; readonly shots: number },
): Promise<{ asked: string[]; set: BenchSet; by: Map<string, string[]> }> {
  // Answers change, so that debates and votes go on to their end.
  const asked: string[] = [];
  const { url } = await recordingServer(({ messages }) => {
    asked.push(messages.map(({ content }) => content).join("\n\n"));
    return `The answer is ${"ABCD"[asked.length % 4]}.`;
  });
  const input = { benchmarks: [benchmark], model: "m", baseUrl: url, limit, seed: "0", repeats: 1, temperature: null };
  const rest = { maxTokens: 64, shots, maxUsd: null, price: null, concurrency: 1 };
  const config = checkBenchConfig({ ...input, ...rest, methods }, "bench");
  const [set] = await benchSets(config, {
    ownMethods: [],
    ownBoards: [],
    open: () => open,
    note: () => undefined,
    hub: { cacheFolder: "", offline: true },
  });
  if (!set) throw new Error("no questions");
  const parts = { model: openAiModel({ model: "m", baseUrl: url, apiKey: "none" }), graders: { maths }, price: null };
  const by = new Map<string, string[]>();
  const small = { ...set, calibration: set.calibration.slice(0, 2) };
  for (const name of methods) {
    const settings = {
      ...config,
      roleModels: {},
      methods: name.startsWith("equal-budget") ? ["debate", name] : [name],
    };
    const file = await openRecords(join(await temporaryFolder(), "samples.jsonl"));
    const before = asked.length;
    const outcome = await runBench(benchJobs([small], settings), settings, parts, file, { concurrency: 1 });
    await file.close();
    expect([name, outcome.errors, outcome.stopped]).toEqual([name, 0, null]);
    by.set(name, asked.slice(before));
  }
  return { asked, set: small, by };
}

const count = (text: string, part: string): number => text.split(part).length - 1;

/** How often a request shows the problem's question, and each of its options as a line behind its letter. */
function shown(request: string, { question, choices = [] }: BenchmarkProblem): number[] {
  const lines = `${request}\n`;
  return [count(lines, `${question}\n`), ...choices.map((choice, i) => count(lines, `\n${"ABCDE"[i]}) ${choice}\n`))];
}

function checkOnce(by: ReadonlyMap<string, readonly string[]>, { problems, calibration }: BenchSet): void {
  for (const [name, asked] of by) {
    expect(asked.length, name).toBeGreaterThanOrEqual(problems.length);
    for (const request of asked) {
      const about = [...problems, ...calibration].filter(({ question }) => `${request}\n`.includes(`${question}\n`));
      expect(about.length, `${name} asks:\n${request}`).toBeGreaterThan(0);
      for (const problem of about)
        expect([name, ...shown(request, problem)]).toEqual([name, 1, ...(problem.choices ?? []).map(() => 1)]);
    }
  }
}

const mmluRows = ["ducks", "geese", "swans", "coots", "grebes", "loons"].map((bird, i) => ({
  question: `Which word describes the gait of ${bird}?`,
  subject: "moral_disputes",
  choices: [`${bird} waddle`, `${bird} hop`, "None", `shaping of ${bird}`],
  answer: i % 4,
}));
const aquaRows = (what: string): readonly object[] =>
  [3, 5, 7].map((number) => ({
    question: `A ${what} costs Rs. ${number}. Bob buys 2 and Ann buys 4. What do they pay?`,
    options: [`A)Rs. ${number}`, `B)Rs. ${6 * number}`, "C)12.5", `D)${number} paise`, "E)None of these"],
    rationale: `6 x ${number}\nThe answer is B`,
    correct: "B",
  }));

async function fixtures(): Promise<OpenOptions> {
  const folder = await temporaryFolder();
  const write = async (path: string, rows: readonly object[]): Promise<void> => {
    await mkdir(join(folder, path, ".."), { recursive: true });
    await writeFile(join(folder, path), rows.map((row) => JSON.stringify(row)).join("\n"));
  };
  await write("mmlu/mmlu.zip", mmluRows);
  await write("aqua/test.json", aquaRows("pen"));
  await write("aqua/dev.json", aquaRows("cup"));
  return { folder, offline: true, mode: "lenient", allowChanged: true };
}

describe.each(choiceBenchmarks)("%s: sends every request of every method", (benchmark) => {
  test("shows each option once", async () => {
    const { by, set } = await requests(benchmark, await fixtures(), { limit: 1, shots: 0 });
    expect(set.problems[0]?.choices).toHaveLength(benchmark === "aqua" ? 5 : 4);
    checkOnce(by, set);
  });

  test.skipIf(data === undefined)("shows each option once in real questions (LACONIC_DATA)", async () => {
    const { by, set } = await requests(benchmark, { folder: data ?? "", offline: true }, { limit: 2, shots: 0 });
    checkOnce(by, set);
  });
});

test("worked examples show their own options once each", async () => {
  const { by, set } = await requests("aqua", await fixtures(), { limit: 1, shots: 2 });
  const exemplar = set.exemplars[0]?.question ?? "";
  expect(exemplar).toMatch(
    /^A cup costs .*\?\nA\) Rs\. \d\nB\) Rs\. \d+\nC\) 12\.5\nD\) \d paise\nE\) None of these$/u,
  );
  const standing = set.exemplars.map(({ question }) => count(by.get("cot")?.[0] ?? "", question));
  expect([set.exemplars.length, standing.toSorted((a, b) => a - b)]).toEqual([3, [0, 1, 1]]);
});

test.skipIf(data === undefined)(
  "MMLU's few-shot examples are the first five of the question's subject (LACONIC_DATA)",
  async () => {
    const open = { folder: data ?? "", offline: true };
    const input = { benchmarks: ["mmlu"], methods: ["vanilla:few-shot-answers", "log-likelihood:few-shot"], limit: 8 };
    const rest = { model: "m", baseUrl: "http://127.0.0.1:1", seed: "0", repeats: 1, temperature: null, maxTokens: 64 };
    const config = checkBenchConfig(
      { ...input, ...rest, shots: null, maxUsd: null, price: null, concurrency: 1 },
      "bench",
    );
    const sources = { ownMethods: [], ownBoards: [], open: () => open, note: () => undefined };
    const sets = await benchSets(config, { ...sources, hub: { cacheFolder: "", offline: true } });
    const { problems: dev } = await openSplit(benchmarkNamed("mmlu"), { ...open, split: "dev" });
    const jobs = benchJobs(sets, { ...config, roleModels: {} });
    expect(jobs).toHaveLength(16);
    for (const { problem, exemplars } of jobs) {
      const benchmarkProblems = dev.filter(({ metadata }) => metadata?.["subject"] === problem.metadata?.["subject"]);
      expect([benchmarkProblems.length, exemplars.map(({ question }) => question)]).toEqual([
        5,
        benchmarkProblems.map((benchmarkProblem) => questionText(benchmarkProblem)),
      ]);
    }
  },
);

test("graders look for the letters shown before the options", () => {
  for (const name of choiceBenchmarks) {
    const { answer } = benchmarkNamed(name);
    expect(answer).toEqual({ kind: "letter", letters: name === "aqua" ? "ABCDE" : "ABCD" });
  }
});
