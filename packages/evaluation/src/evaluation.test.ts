import { appendFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { mathsGrader, type BenchmarkProblem } from "@laconic/benchmarks";
import { LaconicError, type Problem } from "@laconic/core";
import { scriptedModel, type Script } from "@laconic/core/testing";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { baselineNamed } from "@laconic/baselines";
import { modelsFor } from "./bench-parts.ts";
import {
  accuracyTable,
  agentPoSource,
  agentPoTable,
  benchJobs,
  csvOf,
  differenceTable,
  estimate,
  htmlOf,
  latexOf,
  markdownOf,
  openJobs,
  openRecords,
  pairedBootstrap,
  publishedTokens,
  readRecords,
  runBench,
  summarise,
  tokenTable,
  undealt,
  wilson,
  type BenchOptions,
  type BenchSet,
  type BenchSettings,
  type CalibrationRecord,
  type SampleRecord,
} from "./index.ts";

const maths = mathsGrader();
afterAll(() => maths.close());

const problems = Array.from({ length: 6 }, (_, i): BenchmarkProblem => ({
  id: `p${i}`,
  question: `${i} + 1?`,
  gold: String(i + 1),
  grading: { kind: "numeric" },
}));
const set: BenchSet = { benchmark: "gsm8k", split: "test", problems, exemplars: [], calibration: [] };
const settings: BenchSettings = {
  model: "m",
  methods: ["vanilla", "sc"],
  repeats: 1,
  seed: 0,
  temperature: null,
  maxTokens: 50,
};

async function temporary(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "laconic-bench-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  return join(folder, "samples.jsonl");
}

/** Knows its sums, but for the question of p3. */
const script: Script = ({ prompt }) => {
  const asked = prompt.kind === "messages" ? (prompt.messages.at(-1)?.content ?? "") : "";
  const number = Number(/^\d+/u.exec(asked)?.[0]);
  return number === 3 ? "I am not sure" : `#### ${number + 1}`;
};

async function run(path: string, given: Script = script, options: BenchOptions = {}) {
  const file = await openRecords(path);
  const jobs = benchJobs([set], settings);
  const price = { prompt: 1, completion: 2 };
  const outcome = await runBench(
    openJobs(jobs, file.records),
    settings,
    { model: scriptedModel(given), means: { maths }, price },
    file,
    options,
  );
  await file.close();
  const order = ({ method }: SampleRecord): number => settings.methods.indexOf(method);
  return { outcome, records: [...(await readRecords(path)).records.values()].toSorted((a, b) => order(a) - order(b)) };
}

test("samples are graded, counted and priced", async () => {
  const { outcome, records } = await run(await temporary());
  expect(outcome).toEqual({ done: 12, errors: 0, undecided: 0, stopped: null });
  const [vanilla, sc] = summarise(records);
  expect(vanilla).toMatchObject({
    method: "vanilla",
    scored: 6,
    questions: 6,
    unanswered: 1,
    calls: 6,
    difference: null,
  });
  expect(sc).toMatchObject({ method: "sc", calls: 30 });
  expect(vanilla?.accuracy?.value).toBeCloseTo(5 / 6, 12);
  expect(vanilla?.usd).toBeCloseTo(((vanilla?.promptTokens ?? 0) + 2 * (vanilla?.completionTokens ?? 0)) / 1e6, 12);
  expect(sc?.difference).toEqual({ value: 0, low: 0, high: 0 });
});

test("what was cut off goes on, and ends as if it had not been", async () => {
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
  expect(plain(records)).toEqual(plain([...(await readRecords(whole)).records.values()]));
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

test.for([
  ["budget_refused", 0],
  ["api_refused", 0],
] as const)("%s stops the run and is no record", async ([code, kept]) => {
  const { outcome, records } = await run(await temporary(), () => {
    throw new LaconicError(code, "no more");
  });
  expect([outcome.stopped, records.length]).toEqual(["no more", kept]);
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
    { mostErrors: 2, concurrency: 1 },
  );
  expect([outcome.done, outcome.stopped]).toEqual([3, "3 samples failed; the last one: down"]);
});

test("other settings are other samples; a plan bounds calls and tokens", () => {
  const keys = (given: Partial<BenchSettings>): string[] =>
    benchJobs([set], { ...settings, ...given }).map(({ key }) => key);
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
  await expect(readRecords(path)).rejects.toMatchObject({
    code: "data_invalid",
    message: `${path}:2: the line is no record`,
  });
});

test("100,000 records are read and summed up in seconds", { timeout: 60_000 }, async () => {
  const path = await temporary();
  const { records } = await run(path);
  const [record] = records as [SampleRecord];
  await writeFile(
    path,
    Array.from({ length: 100_000 }, (_, i) => `${JSON.stringify({ ...record, problem: `p${i}` })}\n`).join(""),
  );
  const read = await readRecords(path);
  expect(summarise(read.records.values())[0]?.scored).toBe(100_000);
});

test("tables: ours with interval beside the published, in four forms; nothing of a name is markup", async () => {
  const { records } = await run(await temporary());
  const hostile = records.map((record) => ({
    ...record,
    benchmark: record.benchmark === "gsm8k" ? "gsm8k" : "",
    method: record.method === "sc" ? '=<script>"|&' : record.method,
  }));
  const summaries = summarise(hostile);
  const tables = [
    accuracyTable(summaries, (name) => name),
    tokenTable(summaries, (name) => name),
    differenceTable(summaries, (name) => name),
  ];
  expect(tables[0]?.rows[0]).toEqual(["vanilla", "83.3 [43.6, 97.0]", "85.40"]);
  expect(tables[0]?.rows.map(([name]) => name)).toContain("Agent-GSPO (published)");
  const [markdown, csv, latex] = [markdownOf, csvOf, latexOf].map((form) =>
    tables.map((table) => form(table)).join("\n"),
  );
  expect(markdown).toContain("| vanilla | 83.3 [43.6, 97.0] | 85.40 |");
  expect(csv).toContain(`"'=<script>""|&"`);
  expect(latex).toContain("\\begin{tabular}{lrr}");
  const page = htmlOf("bench", ["a <b>note</b>"], tables, summaries);
  expect(page).toMatch(/^<!doctype html>[^]*<\/html>$/u);
  expect(page).not.toMatch(/<script|<b>|onerror/u);
});

test("a method that was run has its published figures beside it, and no row of its own for them", async () => {
  const { records } = await run(await temporary());
  const own = records.map((record) => ({
    ...record,
    benchmark: "gsm8k",
    method: record.method === "sc" ? "agent-gspo" : record.method,
  }));
  const { rows } = accuracyTable(summarise(own), (name) => name);
  expect(rows.find(([name]) => name === "agent-gspo")?.[2]).toBe("96.02");
  expect(rows.map(([name]) => name)).not.toContain("Agent-GSPO (published)");
  expect(rows.map(([name]) => name)).toContain("AgentPrune-R (published)");
});

test("AgentPO's layout: Pass@1 by benchmark, their average, tokens per problem", async () => {
  const { records } = await run(await temporary());
  expect(agentPoTable(summarise(records), (name) => name)).toBeNull();
  const own = records.map((record, i) => ({
    ...record,
    benchmark: i % 2 ? "math500" : "aime24",
    method: "evoagent",
    problem: String(i),
    correct: i % 2 === 1,
  }));
  const table = agentPoTable(summarise(own), (name) => name);
  // Of two benchmarks: the published averages are of five, and do not stand beside it.
  expect(table?.columns).toEqual(["method", "aime24", "math500", "average of 2", "tokens / problem"]);
  expect(table?.rows[0]?.slice(0, 4)).toEqual(["evoagent", "0.0", "100.0", "50.0"]);
});

test("AgentPO's averages stand beside those of the same five benchmarks; one of fewer stands nowhere", async () => {
  const { records } = await run(await temporary());
  const [record] = records as [SampleRecord];
  const benchmarks = ["aime24", "math500", "olympiadbench", "minerva", "amc23"];
  const own = ["agentpo", "evoagent", "role-assignment", "vanilla"].flatMap((method) =>
    benchmarks.slice(method === "vanilla" ? 1 : 0).map((benchmark, i) => ({
      ...record,
      benchmark,
      method,
      correct: i === 0,
      promptTokens: 90,
      completionTokens: 10,
    })),
  );
  const table = agentPoTable(summarise(own), (name) => name);
  const named = ["average of 5", "average, published", "tokens / problem", "tokens / problem, published"];
  expect(table?.columns.slice(6)).toEqual(named);
  // The paper's text: 31.5, 20.2 and 25.9 with Llama-3.1-8B; 1,522 and 19,519 tokens with it too.
  expect(table?.rows.map((row) => row.slice(6))).toEqual([
    ["20.0", "31.5", "100", "1,522"],
    ["20.0", "20.2", "100", "19,519"],
    ["20.0", "25.9", "100", ""],
    ["", "", "", ""],
  ]);
  expect(agentPoSource).toContain("Llama-3.1-8B for accuracy and tokens");
  expect(agentPoSource).not.toContain("Qwen");
});

test("tokens stand beside published ones per question, with the number of questions of both", async () => {
  const { records } = await run(await temporary());
  const table = tokenTable(summarise(records), (name) => name);
  const cell = (name: string): string | undefined => table.rows[0]?.[table.columns.indexOf(name)];
  const [tokens] = summarise(records).map((each) => each.promptTokens + each.completionTokens) as [number];
  expect(cell("n")).toBe("6");
  expect(cell("total")).toBe(tokens.toLocaleString("en-US"));
  expect(Number(cell("total / question"))).toBeCloseTo(tokens / 6, 1);
  expect([cell("total / question, published"), cell("n, published")]).toEqual(["2,654", "1,319"]); // 3.5e6 / 1,319
  expect(table.columns).not.toContain("total, published");
  expect(["php", "debate", "dylan", "agent-gspo"].map((method) => publishedTokens(method, "mmlu-153"))).toEqual(
    [2.6e6, 1.5e6, 1.2e6, 9.2e5].map((total) => ({ total, questions: 153 })),
  );
});

test("a team's own models cost the caller nothing", async () => {
  const path = await temporary();
  const own = { ...baselineNamed("hint"), models: { collaborator: scriptedModel(() => "look") } };
  const file = await openRecords(path);
  const parts = { model: scriptedModel(script), means: { maths }, price: { prompt: 1e6, completion: 0 } };
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
  expect(
    modelsFor(method, { name: "", agents: ["collaborator", "actor"], run: async () => Promise.reject() }, shared),
  ).toEqual({
    collaborator: shared,
    actor: own,
  });
});

test("a method that deals a question is given its parts, its options to all; what it cannot deal is left out and counted", async () => {
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
  expect([undealt(method, own), undealt(baselineNamed("vanilla"), own)]).toEqual([4, 0]);
  const jobs = benchJobs([own], settings, [method]);
  expect(jobs.map(({ problem }) => problem.id)).toEqual(["p0", "p1"]);
  const file = await openRecords(await temporary());
  const model = scriptedModel(({ prompt }) => {
    seen.push(prompt.kind === "messages" ? (prompt.messages.at(-1)?.content ?? "") : "");
    return "The answer is A.";
  });
  await runBench(jobs, settings, { model, means: { maths }, price: null }, file);
  await file.close();
  expect(seen.toSorted()).toEqual(["part of p0\nA) one\nB) two", "part of p1\nA) one\nB) two"]);
  expect([...file.records.values()].map(({ correct }) => correct)).toEqual([true, true]);
});

test("what nothing here can grade ends the bench by name: it is no wrong answer", async () => {
  const writing = problems.map((problem): BenchmarkProblem => ({
    ...problem,
    grading: { kind: "writing", form: "tldr" },
  }));
  const file = await openRecords(await temporary());
  const jobs = benchJobs([{ ...set, benchmark: "tldr", problems: writing }], settings);
  const outcome = await runBench(jobs, settings, { model: scriptedModel(script), means: { maths }, price: null }, file);
  await file.close();
  expect(outcome.stopped).toMatch(/nothing here judges writing/u);
  expect(file.records.size).toBe(0);
});

test("a method that learns does so once, on questions of its own, counted apart; what it learned is taken up again", async () => {
  const path = await temporary();
  const own = {
    ...set,
    calibration: problems.slice(0, 2).map((problem) => ({ ...problem, id: `train-${problem.id}` })),
  };
  const learning = { ...settings, methods: ["agentprune-c"] };
  const learned: CalibrationRecord[] = [];
  const perform = async (given: BenchSet, before: readonly CalibrationRecord[]) => {
    const file = await openRecords(path);
    const jobs = openJobs(benchJobs([given], learning), file.records);
    const parts = { model: scriptedModel(script), means: { maths }, price: { prompt: 1, completion: 2 } };
    const outcome = await runBench(jobs, learning, parts, file, {
      learned: before,
      onLearned: async (record) => void learned.push(record),
    });
    await file.close();
    return outcome;
  };
  expect((await perform({ ...set, problems: problems.slice(0, 3) }, [])).stopped).toContain("none are here");
  expect((await perform({ ...own, problems: problems.slice(0, 3) }, [])).stopped).toBeNull();
  expect(learned).toHaveLength(1);
  // Two questions, four graphs each, eleven calls a graph.
  expect(learned[0]).toMatchObject({ benchmark: "gsm8k", method: "agentprune-c", questions: 2, calls: 88 });
  expect((await perform(own, learned)).done).toBe(3);
  expect(learned).toHaveLength(1);
  const summaries = summarise((await readRecords(path)).records.values());
  expect(summaries[0]).toMatchObject({ scored: 6, calls: 66 });
  const cells = (record: Partial<CalibrationRecord>): string[] => {
    const table = tokenTable(summaries, (name) => name, [{ ...(learned[0] as CalibrationRecord), ...record }]);
    return ["calibration, apart", "cost with calibration, $"].map(
      (name) => table.rows[0]?.[table.columns.indexOf(name)] ?? "",
    );
  };
  const { promptTokens, completionTokens, usd } = learned[0] as CalibrationRecord;
  expect(usd).toBeCloseTo((promptTokens + 2 * completionTokens) / 1e6, 12);
  const both = (summaries[0]?.usd ?? 0) + (usd ?? 0);
  expect(cells({})).toEqual([(promptTokens + completionTokens).toLocaleString("en-US"), both.toFixed(4)]);
  expect(both).toBeGreaterThan(2 * (summaries[0]?.usd ?? 0));
  expect(cells({ usd: null })[1]).toBe(""); // a record of before costs were kept
});
