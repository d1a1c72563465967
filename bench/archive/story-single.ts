// The tellers' control: one agent reads what all three see, and may spend the tokens of the team on answers, of which the most frequent counts.
//   npx tsx bench/archive/story-single.ts --model story-start --tokens 16 [--team RUN] [--problems 200] [--seeds 1,2,3]
// Beside it one answer alone. `--model` is a folder with weights: the story model after its lessons. With `--team`, a run of
// `preset:story-tellers`, the agent is first trained as the team was, without a price: as many steps, each with so many more
// problems that it samples as many tokens as the team did in all.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { randomFromSeed, type LanguageModel, type Problem, type Random, type Sampler } from "@laconic/core";
import { createLocalEngine, localPolicy } from "@laconic/engine";
import { wilson } from "@laconic/evaluation";
import { wasmKernels } from "@laconic/kernels-wasm";
import { namedTask } from "@laconic/worlds/named";
import { storyTellers } from "@laconic/worlds";
import { storyQuestion, storyTellersTask } from "@laconic/worlds/stories";
import { solo } from "@laconic/topologies";
import { onePolicy, parseTrainConfig, silentRecorder, train, type TrainingTask } from "@laconic/trainer";
import { print } from "../src/measure.ts";

const { values } = parseArgs({
  options: {
    model: { type: "string" },
    tokenizer: { type: "string" },
    tokens: { type: "string", default: "16" },
    team: { type: "string" },
    problems: { type: "string", default: "200" },
    seeds: { type: "string", default: "1,2,3" },
  },
});
const { model: folder } = values;
if (folder === undefined) throw new Error("name the model: --model FOLDER");
const testProblems = Number(values.problems);
const settings = { name: "story-tellers", opening: "One day,", madeUp: 0.5 } as const;
const { tokenizer } = await namedTask(settings).open(settings, {
  testProblems,
  modelFolder: values.tokenizer ?? folder,
  templateArguments: {},
  data: { folder: "" },
  note: () => undefined,
});
const task = storyTellersTask({ ...settings, tokenizer, testProblems });
const engine = await createLocalEngine({ device: wasmKernels(), workers: 1 });
const speak = (sampler: Sampler): LanguageModel => localPolicy({ id: "single", sampler, tokenizer });
const reply = { maxTokens: 6, stop: [".", "!", "\n"] };

const most = Number(values.tokens);
for (const seed of values.seeds.split(",")) {
  const policy = await engine.createModel({ kind: "folder", path: folder });
  const trained = values.team === undefined ? null : await trainedLike(values.team, seed);
  const model = speak(policy);
  const answers = await Promise.all(
    task.testProblems.map((problem, i) => answersTo(model, problem, randomFromSeed(`single ${seed}`).split(i))),
  );
  for (const [how, count] of [
    ["one answer", 1],
    ["votes", Number.POSITIVE_INFINITY],
  ] as const)
    print("single agent", { folder, seed, ...(trained && { trained }), how, ...shares(answers, count) });
  await policy.dispose();

  /** Trains the policy with as many sampled tokens as a team's run had. */
  async function trainedLike(run: string, own: string): Promise<object> {
    const rows = readFileSync(join(run, "metrics.jsonl"), "utf8")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as Readonly<Record<string, number>>);
    const { problemsPerStep = 1, episodesPerProblem = 1 } = storyTellers.train;
    const episodes = problemsPerStep * episodesPerProblem;
    const teamTokens = rows.reduce((sum, row) => sum + episodes * (row["tokens/episode_mean"] ?? 0), 0);
    const first = await answersOnce(speak(policy), own);
    const each = first.reduce((sum, answer) => sum + (answer[0]?.tokens ?? 0), 0) / first.length;
    const problems = Math.round(teamTokens / (rows.length * episodesPerProblem * each));
    let tokens = 0;
    const curve: number[] = [];
    const config = parseTrainConfig({
      ...storyTellers.train,
      seed: Number(own),
      steps: rows.length,
      problemsPerStep: problems,
      budget: null,
      evaluation: { every: 0, problems: testProblems, transcripts: 0, language: true },
    });
    const { before, after } = await train({
      ...onePolicy(singleTask(), policy, speak),
      settings: config,
      recorder: silentRecorder((row) => {
        tokens += problems * episodesPerProblem * Number(row["tokens/episode_mean"]);
        curve.push(Number(Number(row["task/accuracy"]).toFixed(2)));
      }),
    });
    const sides = [before, after].map(({ groups, tokens: written, language }) => ({
      groups,
      tokens: written,
      language,
    }));
    return {
      teamTokens,
      tokens,
      steps: rows.length,
      problemsPerStep: problems,
      curve,
      before: sides[0],
      after: sides[1],
    };
  }
}
await engine.close();

/** What all tellers see, and what the solver goes on from. */
function textOf({ question, views = {} }: Problem): string {
  return [...Object.values(views), storyQuestion(question)].join(" ");
}

function singleTask(): TrainingTask {
  const whole = ({ id, gold, group }: Problem, text: string): Problem => ({
    id,
    gold,
    question: text,
    ...(group !== undefined && { group }),
  });
  const agent = { id: "single", role: "solver", ...reply };
  return {
    name: "story-single",
    topology: solo(
      { ...agent, prompt: ({ question }: { readonly question: string }) => ({ kind: "text", text: question }) },
      "story-single",
    ),
    ...(task.grader && { grader: task.grader }),
    problems: (random, count) => task.problems(random, count).map((problem) => whole(problem, textOf(problem))),
    testProblems: task.testProblems.map((problem) => whole(problem, textOf(problem))),
  };
}

interface Answer {
  readonly name: string;
  readonly tokens: number;
}

function answersOnce(model: LanguageModel, seed: string): Promise<Answer[][]> {
  return Promise.all(
    task.testProblems.map((problem, i) => answersTo(model, problem, randomFromSeed(`first ${seed}`).split(i), 1)),
  );
}

/** Answers until the next one would spend more than the team does; at least one. */
async function answersTo(model: LanguageModel, problem: Problem, random: Random, limit = most): Promise<Answer[]> {
  const text = textOf(problem);
  const answers: Answer[] = [];
  let spent = 0;
  for (;;) {
    const { text: said, usage } = await model.complete({
      prompt: { kind: "text", text },
      sampling: { temperature: 1, ...reply },
      random: random.split(answers.length).state(),
    });
    spent += usage.completionTokens;
    if (answers.length > 0 && spent > limit) return answers;
    answers.push({ name: /[A-Za-z]+/u.exec(said)?.[0] ?? "", tokens: usage.completionTokens });
    if (spent >= limit) return answers;
  }
}

function shares(answers: readonly (readonly Answer[])[], count: number): Record<string, unknown> {
  const graded = answers.map((own, i) => {
    const counted = own.slice(0, count);
    const votes = (name: string): number => counted.filter((each) => each.name === name).length;
    const [winner] = counted.toSorted((a, b) => votes(b.name) - votes(a.name));
    const problem = task.testProblems[i] as Problem;
    return {
      group: problem.group,
      right: winner?.name === problem.gold,
      tokens: counted.reduce((sum, { tokens }) => sum + tokens, 0),
    };
  });
  const of = (group: string) => {
    const own = graded.filter((each) => each.group === group);
    return wilson(own.filter(({ right }) => right).length, own.length);
  };
  return {
    known: of("known"),
    unseen: of("unseen"),
    tokens: graded.reduce((sum, { tokens }) => sum + tokens, 0) / graded.length,
  };
}
