import { appendFile, readFile, writeFile } from "node:fs/promises";
import type { BenchmarkProblem } from "@laconic/benchmarks";
import { LaconicError, type Problem } from "@laconic/core";
import { scriptedModel, type Script } from "@laconic/core/testing";
import { expect, test } from "vitest";
import { baselineNamed } from "@laconic/baselines";
import { modelsFor } from "./bench-parts.ts";
import {
  benchJobs,
  estimate,
  openJobs,
  openRecords,
  runBench,
  summarise,
  tokenTable,
  unpartitioned,
  type BenchSet,
  type BenchSettings,
  type CalibrationRecord,
  type SampleRecord,
} from "./index.ts";
import { readRecords, sampleRecords } from "./record-file.ts";
import { maths, problems, set, settings, temporary, script, run } from "../test/bench-run.ts";

test("samples are graded, counted and priced", async () => {
  const { outcome, records } = await run(await temporary());
  expect(outcome).toEqual({ done: 12, errors: 0, undecided: 0, stopped: null });
  const [vanilla, sc] = summarise(records);
  const counts = { method: "vanilla", scored: 6, questions: 6, unanswered: 1, calls: 6, difference: null };
  expect(vanilla).toMatchObject(counts);
  expect(sc).toMatchObject({ method: "sc", calls: 30 });
  expect(vanilla?.accuracy?.value).toBeCloseTo(5 / 6, 12);
  expect(vanilla?.usd).toBeCloseTo(((vanilla?.promptTokens ?? 0) + 2 * (vanilla?.completionTokens ?? 0)) / 1e6, 12);
  const end = 1 - 0.025 ** (1 / 6); // of six equal questions, by Clopper and Pearson
  expect(sc?.difference?.value).toBe(0);
  expect([sc?.difference?.low, sc?.difference?.high]).toBeAllclose([-end, end], { absolute: 1e-9 });
});

test("an interrupted bench resumes and ends as if uninterrupted", async () => {
  const [whole, cut] = [await temporary(), await temporary()];
  await run(whole);
  let calls = 0;
  const stop = new AbortController();
  await run(
    cut,
    (request, call) => {
      if (++calls === 8) stop.abort();
      return (script as (r: typeof request, c: number) => string)(request, call);
    },
    { signal: stop.signal, concurrency: 2 },
  );
  await appendFile(cut, '{"benchmark": "gsm8k", "probl'); // a line that was being written when the process was killed
  const { outcome, records } = await run(cut);
  expect(outcome.done).toBeLessThan(12);
  const plain = (list: readonly SampleRecord[]): unknown =>
    list
      .map((record) => ({ ...record, seconds: 0, criticalSeconds: null }))
      .toSorted((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)));
  expect(plain(records)).toEqual(plain([...(await readRecords(sampleRecords, whole)).records.values()]));
});

test("an error is no score; it is taken again, and its attempt counted", async () => {
  const path = await temporary();
  const failing: Script = (request, call) => {
    if (call % 3 === 0) throw new LaconicError("api_unavailable", "down");
    return (script as (r: typeof request, c: number) => string)(request, call);
  };
  const first = await run(path, failing, { concurrency: 1 });
  expect(first.outcome.errors).toBeGreaterThan(0);
  const failed = first.records.filter(({ status }) => status === "error");
  expect(failed.every(({ correct, error }) => correct === null && error === "down")).toBe(true);
  expect(summarise(first.records)[0]?.scored).toBe(6 - failed.filter(({ method }) => method === "vanilla").length);
  const { records } = await run(path);
  expect(records.every(({ status }) => status === "scored")).toBe(true);
  expect(records.filter(({ attempt }) => attempt === 2)).toHaveLength(failed.length);
});

test.for(["budget_refused", "api_refused"] as const)("%s stops the run and is no record", async (code) => {
  const { outcome, records } = await run(await temporary(), () => {
    throw new LaconicError(code, "no more");
  });
  expect([outcome.stopped, records.length]).toEqual(["no more", 0]);
});

test("a request that is refused for its length is one failed sample", async () => {
  const tooLong = new LaconicError("api_refused", "the prompt is too long", { status: 400 });
  const { outcome, records } = await run(await temporary(), (request, call) => {
    if (call === 2) throw tooLong;
    return (script as (r: typeof request, c: number) => string)(request, call);
  });
  expect(outcome).toEqual({ done: 12, errors: 1, undecided: 0, stopped: null });
  expect(records.filter(({ status }) => status === "error").map(({ error }) => error)).toEqual([
    "the prompt is too long",
  ]);
});

test("too many errors stop the run", async () => {
  const { outcome } = await run(
    await temporary(),
    () => {
      throw new LaconicError("api_unavailable", "down");
    },
    { maxErrors: 2, concurrency: 1 },
  );
  expect([outcome.done, outcome.stopped]).toEqual([3, "3 samples have no score; the last one: down"]);
});

test("other settings are other samples; a plan bounds calls and tokens", () => {
  const keys = (input: Partial<BenchSettings>): string[] =>
    benchJobs([set], { ...settings, ...input }).map(({ key }) => key);
  expect(keys({})).toEqual(keys({}));
  expect(
    new Set([...keys({}), ...keys({ temperature: 1 }), ...keys({ model: "n" }), ...keys({ maxTokens: 9 })]).size,
  ).toBe(48);
  expect(keys({ repeats: 2 })).toHaveLength(24);
  expect(estimate(benchJobs([set], settings), settings)).toMatchObject({
    questions: 6,
    samples: 12,
    calls: 36,
    completionTokens: 1800,
  });
});

test("a damaged line in the middle is named by file and row", async () => {
  const path = await temporary();
  await run(path);
  const lines = (await readFile(path, "utf8")).split("\n");
  await writeFile(path, [lines[0], "{", ...lines.slice(1)].join("\n"));
  await expect(readRecords(sampleRecords, path)).rejects.toFailWith(
    "data_invalid",
    `${path}:2: the line is not a record`,
  );
});

test("20,000 records are read and summed up", async () => {
  const path = await temporary();
  const { records } = await run(path);
  const [record] = records as [SampleRecord];
  await writeFile(
    path,
    Array.from({ length: 20_000 }, (_, i) => `${JSON.stringify({ ...record, problem: `p${i}` })}\n`).join(""),
  );
  const read = await readRecords(sampleRecords, path);
  expect(summarise(read.records.values())[0]?.scored).toBe(20_000);
});

test("a team's own models cost the caller nothing", async () => {
  const path = await temporary();
  const own = { ...baselineNamed("hint"), models: { collaborator: scriptedModel(() => "look") } };
  const file = await openRecords(path);
  const parts = { model: scriptedModel(script), graders: { maths }, price: { prompt: 1e6, completion: 0 } };
  await runBench(benchJobs([set], settings, [own]).slice(0, 1), settings, parts, file);
  await file.close();
  const [record] = [...file.records.values()] as [SampleRecord];
  const asked = parts.model.calls[0]?.prompt;
  const characters = asked?.kind === "messages" ? asked.messages.map(({ content }) => content).join("").length : 0;
  expect([record.calls, record.usd]).toEqual([2, characters]);
  expect(record.promptTokens).toBeGreaterThan(characters);
});

test("a method that brings models speaks with them, others with the caller's", async () => {
  const [own, shared] = [scriptedModel(() => ({ text: "own" })), scriptedModel(() => ({ text: "shared" }))];
  const method = { ...baselineNamed("hint"), models: { actor: own } };
  const team = { name: "", agents: ["collaborator", "actor"], run: async () => Promise.reject() };
  expect(modelsFor(method, team, { model: shared })).toEqual({ collaborator: shared, actor: own });
});

test("a dealing method gets its parts, and all agents the options; undealt questions are skipped and counted", async () => {
  const options: BenchmarkProblem[] = problems.map((problem) => ({
    ...problem,
    gold: "A",
    choices: ["one", "two"],
    grading: { kind: "letter", letters: "AB" },
  }));
  const seen: string[] = [];
  const method = {
    ...baselineNamed("vanilla"),
    deal: <P extends Problem>(problem: P): P | null =>
      problem.id < "p2" ? { ...problem, question: `part of ${problem.id}` } : null,
  };
  const own = { ...set, problems: options };
  expect(unpartitioned([own], settings, [method, baselineNamed("cot")])).toEqual([
    { benchmark: "gsm8k", method: "vanilla", questions: 4, of: 6, reason: null },
  ]);
  const jobs = benchJobs([own], settings, [method]);
  expect(jobs.map(({ problem }) => problem.id)).toEqual(["p0", "p1"]);
  const file = await openRecords(await temporary());
  const model = scriptedModel(({ prompt }) => {
    seen.push(prompt.kind === "messages" ? (prompt.messages.at(-1)?.content ?? "") : "");
    return "The answer is A.";
  });
  await runBench(jobs, settings, { model, graders: { maths }, price: null }, file);
  await file.close();
  expect(seen.toSorted()).toEqual(["part of p0\nA) one\nB) two", "part of p1\nA) one\nB) two"]);
  expect([...file.records.values()].map(({ correct }) => correct)).toEqual([true, true]);
});

test("an ungradable question ends the bench by name and is not a wrong answer", async () => {
  const writing = problems.map((problem): BenchmarkProblem => ({
    ...problem,
    grading: { kind: "writing", form: "tldr" },
  }));
  const file = await openRecords(await temporary());
  const jobs = benchJobs([{ ...set, benchmark: "tldr", problems: writing }], settings);
  const parts = { model: scriptedModel(script), graders: { maths }, price: null };
  const outcome = await runBench(jobs, settings, parts, file);
  await file.close();
  expect(outcome.stopped).toMatch(/no grader for writing/u);
  expect(file.records.size).toBe(0);
});

test("a learning method learns once, on separate questions, counted separately, and reuses what it learned", async () => {
  const path = await temporary();
  const own = {
    ...set,
    calibration: problems.slice(0, 2).map((problem) => ({ ...problem, id: `train-${problem.id}` })),
  };
  const learning = { ...settings, methods: ["agentprune-c"] };
  const learned: CalibrationRecord[] = [];
  const runProgram = async () => ({ output: "7", error: null });
  const perform = async (benchSet: BenchSet, before: readonly CalibrationRecord[]) => {
    const file = await openRecords(path);
    const jobs = openJobs(benchJobs([benchSet], learning), file.records);
    const parts = { model: scriptedModel(script), graders: { maths }, price: { prompt: 1, completion: 2 }, runProgram };
    const outcome = await runBench(jobs, learning, parts, file, {
      learned: before,
      onLearned: async (record) => void learned.push(record),
    });
    await file.close();
    return outcome;
  };
  expect((await perform({ ...set, problems: problems.slice(0, 3) }, [])).stopped).toContain("none were found");
  expect((await perform({ ...own, problems: problems.slice(0, 3) }, [])).stopped).toBeNull();
  expect(learned).toHaveLength(1);
  // Two questions, four graphs each, eleven calls a graph.
  expect(learned[0]).toMatchObject({ benchmark: "gsm8k", method: "agentprune-c", questions: 2, calls: 88 });
  expect((await perform(own, learned)).done).toBe(3);
  expect(learned).toHaveLength(1);
  const summaries = summarise((await readRecords(sampleRecords, path)).records.values());
  expect(summaries[0]).toMatchObject({ scored: 6, calls: 66 });
  const cells = (record: Partial<CalibrationRecord>): string[] => {
    const table = tokenTable(summaries, (name) => name, [{ ...(learned[0] as CalibrationRecord), ...record }]);
    return ["calibration, apart", "cost with calibration"].map(
      (name) => table.rows[0]?.[table.columns.indexOf(name)] ?? "",
    );
  };
  const { promptTokens, completionTokens, usd } = learned[0] as CalibrationRecord;
  expect(usd).toBeCloseTo((promptTokens + 2 * completionTokens) / 1e6, 12);
  const both = (summaries[0]?.usd ?? 0) + (usd ?? 0);
  expect(cells({})).toEqual([(promptTokens + completionTokens).toLocaleString("en-US"), "$0.0446"]);
  expect(both).toBeGreaterThan(2 * (summaries[0]?.usd ?? 0));
  expect(cells({ usd: null })[1]).toBe(""); // a record of before costs were kept
});
