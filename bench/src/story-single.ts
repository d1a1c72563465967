// The tellers' control: one agent reads what all three see, and may spend the tokens of the team on answers, of which the most frequent counts.
//   npx tsx bench/src/story-single.ts --model story-start --tokens 16 [--problems 200] [--seeds 1,2,3]
// Beside it one answer alone. `--model` is a folder with weights: the story model, after its lessons, or a checkpoint of the team.
import { parseArgs } from "node:util";
import { randomFromSeed, type Problem, type Random } from "@laconic/core";
import { createLocalEngine, localPolicy } from "@laconic/engine";
import { wilson } from "@laconic/evaluation";
import { wasmKernels } from "@laconic/kernels-tfjs";
import { namedTask } from "@laconic/tasks/named";
import { storyQuestion, storyTellersTask } from "@laconic/tasks/stories";
import { print } from "./measure.ts";

const { values } = parseArgs({
  options: {
    model: { type: "string" },
    tokenizer: { type: "string" },
    tokens: { type: "string", default: "16" },
    problems: { type: "string", default: "200" },
    seeds: { type: "string", default: "1,2,3" },
  },
});
const { model: folder } = values;
if (folder === undefined) throw new Error("name the model: --model FOLDER");
const heldOut = Number(values.problems);
const settings = { name: "story-tellers", opening: "One day," } as const;
const { tokenizer } = await namedTask(settings).open(settings, {
  ...{
    heldOut,
    modelFolder: values.tokenizer ?? folder,
    templateArguments: {},
    data: { folder: "" },
    note: () => undefined,
  },
});
const task = storyTellersTask({ tokenizer, heldOut, opening: settings.opening });
const engine = await createLocalEngine({ device: wasmKernels(), workers: 1 });
const model = localPolicy({
  id: "single",
  sampler: await engine.createModel({ kind: "folder", path: folder }),
  tokenizer,
});

const most = Number(values.tokens);
for (const seed of values.seeds.split(",")) {
  const answers = await Promise.all(
    task.heldOut.map((problem, i) => answersTo(problem, randomFromSeed(`single ${seed}`).split(i))),
  );
  for (const [how, count] of [
    ["one answer", 1],
    ["votes", Number.POSITIVE_INFINITY],
  ] as const)
    print("single agent", { folder, seed, how, ...shares(answers, count) });
}
await engine.close();

interface Answer {
  readonly name: string;
  readonly tokens: number;
}

/** Answers until the next one would spend more than the team does; at least one. */
async function answersTo({ question, views = {} }: Problem, random: Random): Promise<Answer[]> {
  const text = [...Object.values(views), storyQuestion(question)].join(" ");
  const answers: Answer[] = [];
  let spent = 0;
  for (;;) {
    const { text: said, usage } = await model.complete({
      prompt: { kind: "text", text },
      sampling: { temperature: 1, maxTokens: 6, stop: [".", "!", "\n"] },
      random: random.split(answers.length).state(),
    });
    spent += usage.completionTokens;
    if (answers.length > 0 && spent > most) return answers;
    answers.push({ name: /[A-Za-z]+/u.exec(said)?.[0] ?? "", tokens: usage.completionTokens });
    if (spent >= most) return answers;
  }
}

function shares(answers: readonly (readonly Answer[])[], count: number): Record<string, unknown> {
  const graded = answers.map((own, i) => {
    const counted = own.slice(0, count);
    const votes = (name: string): number => counted.filter((each) => each.name === name).length;
    const [winner] = counted.toSorted((a, b) => votes(b.name) - votes(a.name));
    const problem = task.heldOut[i] as Problem;
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
