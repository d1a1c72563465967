// Multiple choice by log-likelihood on a server that gives log-probs of prompts: beside lm-evaluation-harness itself on the same
// server (LACONIC_PYTHON with lm_eval; without it that part is null), and beside its formula on
// transformers of the same weights (LACONIC_PYTHON): in double precision, the referee, and in single, which says what rounding alone does.
// A token, a sum and what sums are divided by each. Questions: AQuA's of LACONIC_DATA.
//   npm run -s laconic -- serve MODEL_FOLDER --port 8000
//   npx tsx bench/src/graders/log-likelihood.ts --base-url http://127.0.0.1:8000/v1 --model NAME --folder MODEL_FOLDER
import { scoringMethods, type Baseline } from "@laconic/baselines";
import { benchmarkNamed, openSplit, posed, type BenchmarkProblem } from "@laconic/benchmarks";
import { randomFromSeed } from "@laconic/core";
import { openAiModel } from "@laconic/openai";
import { print } from "../measure.ts";
import { peer } from "../processes.ts";
import { readOptions } from "../options.ts";

const { values } = readOptions({
  options: {
    "base-url": { type: "string", default: "http://127.0.0.1:8000/v1" },
    model: { type: "string", default: "model" },
    folder: { type: "string", default: "" },
    questions: { type: "string", default: "20" },
    "context-length": { type: "string", default: "512" },
  },
});
const data = process.env["LACONIC_DATA"];
if (data === undefined) throw new Error("set LACONIC_DATA to the folder that holds aqua/test.json");
const model = openAiModel({ model: values.model, baseUrl: values["base-url"], apiKey: "none" });
const { problems } = await openSplit(benchmarkNamed("aqua"), { folder: data, offline: true });
const asked = problems.slice(0, Number(values.questions));

/** What a method says of a question: each option's log-probs, as the server gives them, and the letter. */
async function scored(method: Baseline, problem: BenchmarkProblem) {
  const topology = method.create({
    reader: { read: (reply) => reply, same: (a, b) => a === b },
    answerForm: "",
    maxTokens: 1,
    asked: { question: problem.question, choices: problem.choices ?? [] },
  });
  const given: (readonly (number | null)[])[] = [];
  const { utterances, answer } = await topology.run(posed(problem), {
    models: {
      solver: {
        ...model,
        complete: async (request) => {
          const completion = await model.complete(request);
          given.push(completion.promptLogProbs ?? []);
          return completion;
        },
      },
    },
    sampling: { temperature: 0 },
    random: randomFromSeed(0),
  });
  const [alone, ...options] = utterances;
  const prompt = alone?.prompt ?? "";
  const begins = given[0]?.length ?? 0;
  return {
    prompt,
    options: options.map((each) => each.prompt.slice(prompt.length)),
    tokens: given.slice(1).map((each) => each.slice(begins).map(Number)),
    scores: options.map(({ text }) => Number(/log p = (\S+)/u.exec(text)?.[1])),
    letter: answer?.slice(-1),
  };
}

const sumOf = (terms: readonly number[]): number => terms.reduce((sum, value) => sum + value, 0);

/** What a method divides an option's sum by. */
function lengthOf({ name }: Baseline, option: string): number {
  if (name.endsWith("norm")) return Array.from(option.trim()).length;
  return name.endsWith("bytes") ? Buffer.byteLength(option.trim()) : 1;
}

/** The largest differences from what the harness says of the same server. */
function besideHarness(
  method: Baseline,
  ours: readonly Awaited<ReturnType<typeof scored>>[],
  printed: readonly Readonly<Record<string, unknown>>[],
) {
  const sums = printed.map((each) => each["sums"] as number[]);
  const differences = ours.flatMap(({ options, tokens }, i) =>
    options.map((option, j) => {
      const difference = Math.abs(sumOf(tokens[j] ?? []) - (sums[i]?.[j] ?? Number.NaN));
      return [difference, difference / lengthOf(method, option)] as const;
    }),
  );
  return {
    version: printed[0]?.["version"],
    sum: Math.max(...differences.map(([sum]) => sum)),
    normed: Math.max(...differences.map(([, normed]) => normed)),
  };
}

// Few shots are of MMLU alone.
for (const method of scoringMethods.filter(({ protocols }) => !protocols)) {
  const ours: Awaited<ReturnType<typeof scored>>[] = [];
  for (const problem of asked) ours.push(await scored(method, problem));
  const { printed, failed } = peer("log_likelihood.py", { folder: values.folder, questions: ours });
  if (failed !== null) throw new Error(failed);
  const harness = peer("lm_eval_completions.py", {
    baseUrl: values["base-url"],
    model: values.model,
    folder: values.folder,
    contextLength: Number(values["context-length"]),
    questions: ours,
  });
  const referee = printed.map(({ double }) => double as number[][]);
  const single = printed.map(({ single: each }) => each as number[][]);
  /** The largest differences from the referee. */
  const apart = (of: (question: number) => readonly (readonly number[])[]) => {
    const options = ours.flatMap(({ options: texts }, i) =>
      of(i).map((tokens, j) => {
        const exact = referee[i]?.[j] as number[];
        const difference = Math.abs(sumOf(tokens) - sumOf(exact));
        return {
          tokens: tokens.map((each, k) => Math.abs(each - (exact[k] as number))),
          difference,
          normed: difference / lengthOf(method, texts[j] as string),
        };
      }),
    );
    const tokens = options.flatMap((each) => each.tokens);
    return {
      token: Math.max(...tokens),
      meanToken: sumOf(tokens) / tokens.length,
      sum: Math.max(...options.map(({ difference }) => difference)),
      normed: Math.max(...options.map(({ normed }) => normed)),
    };
  };
  const letters = ours.map(({ options }, i) => {
    const normed = options.map((option, j) => sumOf(referee[i]?.[j] as number[]) / lengthOf(method, option));
    return String.fromCharCode(65 + normed.indexOf(Math.max(...normed)));
  });
  print("log-likelihood", {
    method: method.name,
    model: values.model,
    questions: asked.length,
    options: ours.reduce((sum, { options }) => sum + options.length, 0),
    tokens: ours.reduce((sum, { tokens }) => sum + tokens.flat().length, 0),
    server: apart((i) => ours[i]?.tokens ?? []),
    lmEval: harness.failed === null ? besideHarness(method, ours, harness.printed) : null,
    torchSingle: apart((i) => single[i] ?? []),
    sumsAsTokens: Math.max(
      ...ours.flatMap(({ scores, tokens }) => scores.map((score, j) => Math.abs(score - sumOf(tokens[j] ?? [])))),
    ),
    sameLetter: ours.filter(({ letter }, i) => letter === letters[i]).length,
    right: ours.filter(({ letter }, i) => letter === asked[i]?.gold).length,
  });
}
