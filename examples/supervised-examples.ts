/**
 * Supervised examples of one's own: a clerk names shelf and good. The model has learned nothing. A file of
 * conversations, in the form of OpenAI's and TRL's files, teaches it to answer wordily; rewards then make it brief, and a function adds
 * an example of the form now and then.
 *
 *     npm run -s laconic -- train examples/supervised-examples.ts
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { randomFromSeed, type ExampleFunction, type Problem } from "@laconic/core";
import { defineTask } from "@laconic/tasks";
import { chatTemplate, solo } from "@laconic/topologies";
import { defineRun, type RunDefinition } from "laconic";

const goods = ["tea", "rum", "ink", "oil", "jam", "rye", "wax", "fig"];
const shelves = "abcdefghijklmnopqrstuvwxyz".split("");
const problems = goods.flatMap((good) =>
  shelves.map((shelf): Problem => ({ id: good + shelf, question: `${good} on ${shelf}`, gold: `${shelf} ${good}` })),
);
const shuffled = randomFromSeed("shelves").shuffle(problems);
const [heldOut, train] = [shuffled.slice(0, 60), shuffled.slice(60)];

const system = "Name shelf and good.";
const conversation = ({ question, gold }: Problem, wordy: boolean) =>
  [
    { role: "system", content: system },
    { role: "user", content: question },
    { role: "assistant", content: wordy ? `it is ${gold}` : gold },
  ] as const;

/** Every other reply says more than is asked for. */
const folder = join(tmpdir(), "laconic-supervised-examples");
mkdirSync(folder, { recursive: true });
const file = join(folder, "shelves.jsonl");
const rows = train.map((problem, i) => JSON.stringify({ messages: conversation(problem, i % 2 > 0) }));
writeFileSync(file, rows.join("\n"));

const brief: ExampleFunction = (problem) => ({ messages: conversation(problem, false), agent: "clerk" });

const prompt = chatTemplate("clerk@1", system, ({ question }) => question).render;
const run: RunDefinition = defineRun({
  task: defineTask({
    name: "shelves",
    topology: solo({ id: "clerk", role: "clerk", maxTokens: 24, prompt }),
    train,
    heldOut,
    grader: (answer, { gold }) => (answer?.endsWith(gold) ? 1 : 0),
  }),
  model: "untrained",
  warmStart: { name: "examples", examples: file, steps: 120, batch: 16, learningRate: 0.01 },
  device: "wasm",
  train: {
    steps: 16,
    problemsPerStep: 8,
    supervised: { examples: brief, batch: 2 },
    prices: { tokens: 0.02 },
    advantage: { estimator: "group", scale: "none" },
    optimizer: { learningRate: { peak: 1e-3, warmUpSteps: 2 } },
  },
});
export default run;
