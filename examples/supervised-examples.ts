/**
 * Custom supervised examples in the file format of OpenAI and TRL: a clerk reads an order and names product and count.
 * The model is untrained. Conversations first teach it the answers, half of them wordy. Rewards then make it brief,
 * while some conversations continue to prevent forgetting.
 *
 *     npm run -s laconic -- train examples/supervised-examples.ts
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { randomFromSeed, type Problem, type SupervisedExample } from "@laconic/core";
import { defineTask } from "@laconic/tasks";
import { chatTemplate, solo } from "@laconic/topologies";
import { defineRun, type RunDefinition } from "@laconic/cli";

const goods = ["tea", "rum", "ink", "oil", "jam", "rye"];
const counts = Array.from({ length: 40 }, (_, i) => `${i + 10}`);
const problems = goods.flatMap((good) =>
  counts.map((count): Problem => ({ id: count + good, question: `send ${count} ${good}`, gold: `${good} ${count}` })),
);
const shuffled = randomFromSeed("orders").shuffle(problems);
const [testProblems, train] = [shuffled.slice(0, 60), shuffled.slice(60)];

const system = "Name good and count.";
const example = ({ question, gold }: Problem, wordy: boolean): SupervisedExample => ({
  messages: [
    { role: "system", content: system },
    { role: "user", content: question },
    { role: "assistant", content: wordy ? `you want ${gold}` : gold },
  ],
});
const folder = join(tmpdir(), "laconic-supervised-examples");
mkdirSync(folder, { recursive: true });
const examples = join(folder, "orders.jsonl");
writeFileSync(examples, train.map((problem, i) => JSON.stringify(example(problem, i % 2 > 0))).join("\n"));

const prompt = chatTemplate("clerk@1", system, ({ question }) => question).render;
const run: RunDefinition = defineRun({
  task: defineTask({
    name: "orders",
    topology: solo({ id: "clerk", role: "clerk", maxTokens: 24, prompt }),
    train,
    testProblems,
    grader: (answer, { gold }) => (answer?.endsWith(gold) ? 1 : 0),
  }),
  model: "untrained",
  warmStart: { name: "examples", examples, steps: 250, batch: 16, learningRate: 0.005 },
  device: "wasm",
  train: {
    steps: 24,
    problemsPerStep: 8,
    supervised: { examples, batch: 4 },
    prices: { tokens: 0.02 },
    advantage: { estimator: "group", scale: "none" },
    optimizer: { learningRate: { peak: 5e-4, warmUpSteps: 2 } },
  },
});
export default run;
