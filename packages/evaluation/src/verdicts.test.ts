import { baselineNamed, type Baseline } from "@laconic/baselines";
import type { BenchmarkProblem } from "@laconic/benchmarks";
import type { Graders, Verdict } from "@laconic/grading";
import { LaconicError } from "@laconic/core";
import { scriptedModel } from "@laconic/core/testing";
import { expect, test } from "vitest";
import { maths, settings as shared, temporary } from "../test/bench-run.ts";
import {
  accuracyTable,
  benchJobs,
  openJobs,
  openRecords,
  runBench,
  summarise,
  tokenTable,
  type BenchOptions,
  type BenchOutcome,
  type BenchSet,
  type SampleRecord,
} from "./index.ts";

const problems = Array.from({ length: 6 }, (_, i): BenchmarkProblem => ({
  id: `p${i}`,
  question: `${i}?`,
  gold: "",
  grading: { kind: "code", prompt: "def f():\n", test: "", entryPoint: `f${i}` },
}));
const set: BenchSet = { benchmark: "humaneval", split: "test", problems, exemplars: [], calibration: [] };
const settings = { ...shared, methods: ["vanilla"] };
const right: Verdict = { correct: true, extracted: "code", rule: "all tests passed", certainty: "exact" };

async function bench(
  path: string,
  judge: (name: string, signal?: AbortSignal) => Promise<Verdict>,
  options: BenchOptions = {},
): Promise<{ outcome: BenchOutcome; records: SampleRecord[]; calls: number }> {
  const file = await openRecords(path);
  let calls = 0;
  const model = scriptedModel(() => {
    calls++;
    return "a program";
  });
  const graders: Graders = { maths, code: (_, { entryPoint }, signal) => judge(entryPoint ?? "", signal) };
  const jobs = openJobs(benchJobs([set], settings, [baselineNamed("vanilla")]), file.records);
  const parts = { model, graders, price: { prompt: 1, completion: 1 } };
  const outcome = await runBench(jobs, settings, parts, file, options);
  await file.close();
  return { outcome, records: [...file.records.values()], calls };
}

test("one answer's verdict ends no bench: undecided, thrown, hanging and impossible tests are counted apart", async () => {
  const path = await temporary();
  const signals: string[] = [];
  const first = await bench(
    path,
    async (name) => {
      if (name === "f1") return { ...right, correct: false, decided: false, rule: "undecided: the machine" };
      if (name === "f2") throw new TypeError("Cannot read properties of null");
      if (name === "f3") throw new LaconicError("data_invalid", "the tests of f3 do not run");
      if (name === "f4") return new Promise(() => void signals.push(name));
      return right;
    },
    { gradeSeconds: 0.2 },
  );
  expect(first.outcome).toEqual({ done: 6, errors: 3, undecided: 1, stopped: null });
  const reported = Object.fromEntries(
    first.records.map(({ problem, status, correct, error }) => [problem, [status, correct, error]]),
  );
  expect(reported).toEqual({
    p0: ["scored", true, null],
    p1: ["undecided", null, "undecided: the machine"],
    p2: ["error", null, "not judged: Cannot read properties of null"],
    p3: ["error", null, "not judged: the tests of f3 do not run"],
    p4: ["error", null, "not judged: no answer within 0.2 s"],
    p5: ["scored", true, null],
  });
  for (const record of first.records)
    expect([record.answer, record.calls, (record.usd ?? 0) > 0]).toEqual(["a program", 1, true]);
  const [summary] = summarise(first.records);
  expect(summary).toMatchObject({ scored: 2, samples: 6, errors: 3, undecided: 1, accuracy: { value: 1 } });
  const table = tokenTable(summarise(first.records), (name) => name);
  expect(table.rows[0]).toContain("2 of 6 (3 errors, 1 undecided)");
  const [accuracy] = accuracyTable(summarise(first.records), (name) => name).rows;
  expect(accuracy?.[1]).toContain("n 2 of 6 (3 errors, 1 undecided)");

  const again = await bench(path, async () => right);
  expect([again.outcome, again.calls]).toEqual([{ done: 4, errors: 0, undecided: 0, stopped: null }, 0]);
  expect(again.records.map(({ status, correct }) => [status, correct])).toEqual(
    Array.from({ length: 6 }, () => ["scored", true]),
  );
  expect(summarise(again.records)[0]).toMatchObject({ scored: 6, calls: 6 });
});

test("a machine that decides nothing stops the bench, and a grading that is refused does at once", async () => {
  const undecided = { ...right, correct: false, decided: false, rule: "the machine" };
  const { outcome } = await bench(await temporary(), async () => undecided, { maxErrors: 2, concurrency: 1 });
  expect([outcome.done, outcome.stopped]).toEqual([3, expect.stringContaining("3 samples have no score")]);
  const refused = await bench(
    await temporary(),
    () => Promise.reject(new LaconicError("config_invalid", "no grader for code")),
    { concurrency: 1 },
  );
  expect([refused.outcome.done, refused.outcome.stopped]).toEqual([0, "no grader for code"]);
});

test("answers at a limit of the sandbox are counted and stop no bench", async () => {
  const limited = { ...right, correct: false, decided: false, limited: true, rule: "memory limit" };
  const { outcome, records } = await bench(await temporary(), async () => limited, { maxErrors: 0, concurrency: 1 });
  expect(outcome).toEqual({ done: 6, errors: 0, undecided: 6, stopped: null });
  expect(records[0]).toMatchObject({ status: "undecided", correct: null, rule: "memory limit", error: null });
  expect(summarise(records)[0]).toMatchObject({ scored: 0, undecided: 6, accuracy: null });
});

test("an abort ends the verdicts in the making, whose replies are judged by the next run", async () => {
  const path = await temporary();
  const stop = new AbortController();
  const givenUp = { ...right, correct: false, decided: false, rule: "aborted" };
  let judging = 0;
  const first = await bench(
    path,
    (name, signal) =>
      new Promise((resolve) => {
        if (name === "f0") return resolve(right);
        signal?.addEventListener("abort", () => resolve(givenUp));
        if (++judging === 3) stop.abort();
      }),
    { signal: stop.signal, concurrency: 3, maxErrors: 0 },
  );
  expect(first.outcome).toMatchObject({ done: 4, undecided: 3, stopped: "aborted" });
  const again = await bench(path, async () => right);
  expect([again.outcome.done, again.calls]).toEqual([5, 2]);
});

test("a judge that hangs while a method learns neither hangs the bench nor counts as a wrong answer", async () => {
  const asked: string[] = [];
  const utilities: number[] = [];
  const vanilla = baselineNamed("vanilla");
  const learner: Baseline = {
    ...vanilla,
    calibrate: async (options, { utility }) => {
      for (const index of [0, 1]) utilities.push(await utility(index, vanilla.create(options)));
      return null;
    },
    restore: (options) => vanilla.create(options),
  };
  const judged = async (judge: (name: string, time: number) => Promise<Verdict>): Promise<BenchOutcome> => {
    const file = await openRecords(await temporary());
    const code: Graders["code"] = (_, { entryPoint }) => {
      const tested = entryPoint ?? "";
      asked.push(tested);
      return judge(tested, asked.filter((name) => name === tested).length);
    };
    const jobs = benchJobs([{ ...set, problems: problems.slice(2), calibration: problems.slice(0, 2) }], settings, [
      learner,
    ]);
    const model = scriptedModel(() => "a program");
    const outcome = await runBench(jobs, settings, { model, graders: { maths, code }, price: null }, file, {
      gradeSeconds: 0.2,
      concurrency: 1,
    });
    await file.close();
    return outcome;
  };
  const hangs = (): Promise<Verdict> => new Promise(() => undefined);
  const once = await judged((name, time) => (name === "f0" && time === 1 ? hangs() : Promise.resolve(right)));
  expect([once, utilities]).toEqual([{ done: 4, errors: 0, undecided: 0, stopped: null }, [1, 1]]);
  asked.length = 0;
  const never = await judged((name) => (name === "f1" ? hangs() : Promise.resolve(right)));
  expect([never.errors, utilities, asked]).toEqual([4, [1, 1, 1], ["f0", "f1", "f1"]]);
});

test("each benchmark is judged by its own rule", async () => {
  const file = await openRecords(await temporary());
  const quarter: BenchmarkProblem = { id: "q", question: "?", gold: "\\frac{1}{4}", grading: { kind: "maths" } };
  const sets = ["ours", "theirs"].map((benchmark) => ({ ...set, benchmark, problems: [quarter] }));
  const parts = {
    model: scriptedModel(() => "\\boxed{0.25}"),
    graders: { maths },
    gradeRules: { theirs: "published" },
    price: null,
  } as const;
  await runBench(benchJobs(sets, settings, [baselineNamed("vanilla")]), settings, parts, file);
  await file.close();
  const judged = [...file.records.values()].map(({ benchmark, correct }) => [benchmark, correct]);
  expect(Object.fromEntries(judged)).toEqual({ ours: true, theirs: false });
});
