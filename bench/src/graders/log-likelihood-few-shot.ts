// Multiple choice by log-likelihood with five examples, on a server that gives log-probs of prompts: requests and sums beside those of
// lm-evaluation-harness's own task MMLU on the same server and rows (LACONIC_PYTHON with lm_eval). Questions: MMLU's of LACONIC_DATA; the
// line above them: of LACONIC_EXEMPLARS, a folder that `laconic data get --exemplars` filled.
//   npm run -s laconic -- serve MODEL_FOLDER --port 8000
//   npx tsx bench/src/graders/log-likelihood-few-shot.ts --base-url http://127.0.0.1:8000/v1 --model NAME --folder MODEL_FOLDER
import { baselineNamed } from "@laconic/baselines";
import { benchmarkNamed, openSplit, posed, questionText, type BenchmarkProblem } from "@laconic/benchmarks";
import { answerLine, answerReading } from "@laconic/grading";
import { exemplarsNamed, openExemplars } from "@laconic/benchmarks/exemplars";
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
    subjects: { type: "string", default: "abstract_algebra,anatomy,business_ethics,management,world_religions" },
    questions: { type: "string", default: "4" },
    "context-length": { type: "string", default: "4096" },
  },
});
const [data, published] = ["LACONIC_DATA", "LACONIC_EXEMPLARS"].map((name) => {
  const folder = process.env[name];
  if (folder === undefined) throw new Error(`set ${name}`);
  return folder;
}) as [string, string];
const model = openAiModel({ model: values.model, baseUrl: values["base-url"], apiKey: "none" });
const benchmark = benchmarkNamed("mmlu");
const subjectOf = (problem: BenchmarkProblem): unknown => problem.metadata?.["subject"];
const [test, dev] = await Promise.all(
  ["test", "dev"].map(async (split) => (await openSplit(benchmark, { folder: data, offline: true, split })).problems),
);
const header = exemplarsNamed("mmlu-header");
const { texts } = await openExemplars(header, { folder: published, offline: true });
const method = baselineNamed("log-likelihood:few-shot");

const subjects = values.subjects.split(",").map((subject) => ({
  subject,
  dev: (dev ?? []).filter((each) => subjectOf(each) === subject),
  test: (test ?? []).filter((each) => subjectOf(each) === subject).slice(0, Number(values.questions)),
}));

/** What the method asks of a question, and the sum of each letter. */
async function scored(problem: BenchmarkProblem, examples: readonly BenchmarkProblem[]) {
  const topology = method.create({
    reader: answerReading(problem.grading),
    answerForm: "",
    maxTokens: 1,
    family: "choice",
    benchmark: "mmlu",
    asked: { question: problem.question, choices: problem.choices ?? [] },
    exemplars: examples.map((each) => ({
      question: questionText(each),
      solution: "",
      answer: each.gold,
      answerLine: answerLine(each.grading, each.gold),
      topic: String(subjectOf(each)),
    })),
    script: { name: header.name, texts, examples: header.examples, sha256: "" },
  });
  const { utterances } = await topology.run(posed(problem), {
    models: { solver: model },
    sampling: { temperature: 0 },
    random: randomFromSeed(0),
  });
  const [alone, ...letters] = utterances;
  return { prompt: alone?.prompt ?? "", sums: letters.map(({ text }) => Number(/log p = (\S+)/u.exec(text)?.[1])) };
}

const ours: Awaited<ReturnType<typeof scored>>[] = [];
for (const each of subjects) for (const problem of each.test) ours.push(await scored(problem, each.dev));
const rowOf = ({ question, choices = [], gold }: BenchmarkProblem) => ({
  question,
  choices,
  answer: "ABCD".indexOf(gold),
});
const { printed, failed } = peer("lm_eval_mmlu.py", {
  baseUrl: values["base-url"],
  model: values.model,
  folder: values.folder,
  contextLength: Number(values["context-length"]),
  subjects: subjects.map((each) => ({ ...each, dev: each.dev.map(rowOf), test: each.test.map(rowOf) })),
});
if (failed !== null) throw new Error(failed);
const theirs = printed.map((each) => each as { version: string; prompt: string; sums: number[] });
const apart = ours.flatMap(({ sums }, i) => sums.map((sum, j) => Math.abs(sum - (theirs[i]?.sums[j] ?? Number.NaN))));
print("log-likelihood-few-shot", {
  method: method.name,
  model: values.model,
  lmEval: theirs[0]?.version,
  subjects: subjects.length,
  questions: ours.length,
  options: apart.length,
  samePrompts: ours.filter(({ prompt }, i) => prompt === theirs[i]?.prompt).length,
  longestPrompt: Math.max(...ours.map(({ prompt }) => prompt.length)),
  sum: Math.max(...apart),
});
