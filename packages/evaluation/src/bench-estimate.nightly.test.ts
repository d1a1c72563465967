import { baselineNamed, baselines, type Baseline } from "@laconic/baselines";
import type { BenchmarkProblem } from "@laconic/benchmarks";
import { randomFromSeed, type CompletionRequest, type Random } from "@laconic/core";
import { scriptedModel } from "@laconic/core/testing";
import { expect, test } from "vitest";
import { maths, problems, settings as shared, temporary } from "../test/bench-run.ts";
import { benchJobs, estimate, openRecords, runBench, type BenchSet, type BenchSettings } from "./index.ts";

/** What was really asked of the model, counted by the model itself: a token a byte. */
interface Asked {
  calls: number;
  promptTokens: number;
  completionTokens: number;
}

async function run(
  sets: readonly BenchSet[],
  settings: BenchSettings,
  methods: readonly Baseline[],
  write: (tokens: number) => string,
): Promise<Asked> {
  const asked: Asked = { calls: 0, promptTokens: 0, completionTokens: 0 };
  const model = scriptedModel(({ prompt, sampling }: CompletionRequest) => {
    const text = prompt.kind === "messages" ? prompt.messages.map(({ content }) => content).join("") : "";
    const usage = { promptTokens: Buffer.byteLength(text), completionTokens: sampling.maxTokens };
    asked.calls++;
    asked.promptTokens += usage.promptTokens;
    asked.completionTokens += usage.completionTokens;
    return { text: write(sampling.maxTokens), finishReason: "length", usage: { ...usage, counted: "server" } };
  });
  const file = await openRecords(await temporary());
  // What a program prints and how it fails is as long as it likes.
  let runs = 0;
  const runProgram = async () =>
    runs++ % 3 === 0
      ? { output: "数\n".repeat(9999), error: null }
      : { output: "", error: runs % 2 === 0 ? "é".repeat(9999) : null };
  const code = async () => ({ correct: true, extracted: "", rule: "", certainty: "exact" as const, decided: true });
  const parts = { model, graders: { maths, code }, price: null, runProgram };
  const outcome = await runBench(benchJobs(sets, settings, methods), settings, parts, file, { maxErrors: 0 });
  await file.close();
  expect(outcome).toMatchObject({ errors: 0, stopped: null });
  return asked;
}

const words = (random: Random, most: number): string =>
  Array.from({ length: 1 + random.integer(most) }, () =>
    random.pick(["a", "12", "\n", "数", " ", "é", "$x$", "."]),
  ).join("");

function randomSet(random: Random): BenchSet {
  const letters = random.uniform() < 0.3;
  const code = !letters && random.uniform() < 0.4;
  const problem = (id: string): BenchmarkProblem => ({
    id,
    question: `${words(random, 200)}${code ? "\ndef f(x):\n  >>> f(1)\n  2\n" : ""}`,
    gold: letters ? "A" : "7",
    grading: letters
      ? { kind: "letter", letters: "ABCD" }
      : code
        ? { kind: "code", prompt: "", test: "", entryPoint: "f" }
        : { kind: "numeric" },
    ...(letters && { choices: Array.from({ length: 4 }, () => words(random, 20)) }),
  });
  return {
    benchmark: "gsm8k",
    split: "test",
    problems: Array.from({ length: 1 + random.integer(2) }, (_, i) => problem(`p${i}`)),
    exemplars: Array.from({ length: random.integer(4) }, () => ({
      question: words(random, 50),
      solution: words(random, 50),
      answer: words(random, 3),
      answerLine: words(random, 9),
    })),
    calibration: Array.from({ length: 1 + random.integer(3) }, (_, i) => problem(`c${i}`)),
  };
}

/** Replies of a length that make methods go on for longest, or prompts grow most. */
const replies: readonly (readonly [name: string, write: (random: Random) => (tokens: number) => string])[] = [
  ["lines", () => (tokens) => "\n".repeat(tokens)],
  [
    "digits that never agree",
    (random) => (tokens) => Array.from({ length: tokens }, () => random.integer(10)).join(""),
  ],
  [
    "words that call for more",
    (random) => (tokens) => `DISCARD\nWRONG ${random.integer(10 ** 9)}`.padEnd(tokens, "\n").slice(0, tokens),
  ],
  [
    "tests and reflections",
    (random) => (tokens) =>
      Array.from({ length: 10 }, (_, i) => `assert f(${random.integer(9)}) == ${i}\nReflection ${i}: no`)
        .join("\n")
        .repeat(1 + tokens / 200)
        .slice(0, tokens),
  ],
];

test.for(baselines.flatMap((method) => replies.map(([name, write]) => [method.name, name, method, write] as const)))(
  "%s, %s: a bench never takes more than its plan",
  async ([, , method, write]) => {
    const random = randomFromSeed(method.name);
    for (let i = 0; i < 6; i++) {
      const sets = [randomSet(random)];
      const settings: BenchSettings = {
        model: "m",
        methods: [method.name],
        repeats: 1 + random.integer(2),
        seed: i,
        temperature: null,
        maxTokens: 1 + random.integer(i === 0 ? 1200 : 120),
        shots: random.uniform() < 0.5 ? null : random.integer(4),
      };
      const played = method.equalTokens ? [baselineNamed("debate"), method] : [method];
      const plan = estimate(benchJobs(sets, settings, played), settings);
      const asked = await run(sets, settings, played, write(random));
      expect(asked.calls).toBeLessThanOrEqual(plan.calls);
      expect(asked.promptTokens).toBeLessThanOrEqual(plan.promptTokens);
      expect(asked.completionTokens).toBeLessThanOrEqual(plan.completionTokens);
    }
  },
);

test("calibration is in the plan: once for all samples of a method on a benchmark", async () => {
  const three = problems.slice(0, 3);
  const calibration = three.map((problem) => ({ ...problem, id: `train-${problem.id}` }));
  const set: BenchSet = { benchmark: "gsm8k", split: "test", problems: three, exemplars: [], calibration };
  const settings = { ...shared, methods: ["agentprune-c"] };
  const jobs = benchJobs([set], settings);
  // Eleven calls a play: three samples, and three questions in four graphs each.
  expect(estimate(jobs, settings)).toMatchObject({
    samples: 3,
    calls: 11 * (3 + 12),
    calibrationCalls: 11 * 12,
    completionTokens: 50 * 11 * 15,
  });
  const [, , third] = jobs;
  expect(estimate(third ? [third] : [], settings).calls).toBe(11 * (1 + 12));
});
