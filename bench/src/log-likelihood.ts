// Multiple choice by log-likelihood on a server that gives log-probs of prompts, beside lm-evaluation-harness's formula on
// transformers of the same weights (LACONIC_PYTHON, double precision). Questions: AQuA's of LACONIC_DATA.
//   npm run -s laconic -- serve MODEL_FOLDER --port 8000
//   npx tsx bench/src/log-likelihood.ts --base-url http://127.0.0.1:8000/v1 --model NAME --folder MODEL_FOLDER
import { parseArgs } from "node:util";
import { scoringMethods, type Baseline } from "@laconic/baselines";
import { benchmarkNamed, openSplit, posed, type BenchmarkProblem } from "@laconic/benchmarks";
import { randomFromSeed } from "@laconic/core";
import { openAiModel } from "@laconic/openai";
import { print } from "./measure.ts";
import { peer } from "./processes.ts";

const { values } = parseArgs({
  options: {
    "base-url": { type: "string", default: "http://127.0.0.1:8000/v1" },
    model: { type: "string", default: "model" },
    folder: { type: "string", default: "" },
    questions: { type: "string", default: "20" },
  },
});
const data = process.env["LACONIC_DATA"];
if (data === undefined) throw new Error("set LACONIC_DATA to the folder that holds aqua/test.json");
const model = openAiModel({ model: values.model, baseUrl: values["base-url"], apiKey: "none" });
const { problems } = await openSplit(benchmarkNamed("aqua"), { folder: data, offline: true });
const asked = problems.slice(0, Number(values.questions));

/** What a method says of a question: each option's log-probability, and the letter. */
async function scored(method: Baseline, problem: BenchmarkProblem) {
  const topology = method.create({
    reader: { read: (reply) => reply, same: (a, b) => a === b },
    answerForm: "",
    maxTokens: 1,
    asked: { question: problem.question, choices: problem.choices ?? [] },
  });
  const { utterances, answer } = await topology.run(posed(problem), {
    models: { solver: model },
    sampling: { temperature: 0 },
    random: randomFromSeed(0),
  });
  const [alone, ...options] = utterances;
  const prompt = alone?.prompt ?? "";
  return {
    prompt,
    options: options.map((each) => each.prompt.slice(prompt.length)),
    scores: options.map(({ text }) => Number(/log p = (\S+)/u.exec(text)?.[1])),
    letter: answer?.slice(-1),
  };
}

for (const method of scoringMethods) {
  const ours = [];
  for (const problem of asked) ours.push(await scored(method, problem));
  const { printed, failed } = peer("log_likelihood.py", { folder: values.folder, questions: ours });
  if (failed !== null) throw new Error(failed);
  const theirs = printed.map(({ scores }) => scores as number[]);
  const lengthOf = (option: string): number =>
    method.name.endsWith("norm")
      ? Array.from(option.trim()).length
      : method.name.endsWith("bytes")
        ? Buffer.byteLength(option.trim())
        : 1;
  const letters = ours.map(({ options }, i) => {
    const normed = (theirs[i] as number[]).map((score, j) => score / lengthOf(options[j] as string));
    return String.fromCharCode(65 + normed.indexOf(Math.max(...normed)));
  });
  const differences = ours.flatMap(({ scores }, i) =>
    scores.map((score, j) => Math.abs(score - (theirs[i]?.[j] as number))),
  );
  print("log-likelihood", {
    method: method.name,
    questions: asked.length,
    options: differences.length,
    largestDifference: Math.max(...differences),
    sameLetter: ours.filter(({ letter }, i) => letter === letters[i]).length,
    right: ours.filter(({ letter }, i) => letter === asked[i]?.gold).length,
  });
}
