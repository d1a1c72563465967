/**
 * Custom data with a private column per agent: rows of a JSON file, which the run copies.
 *
 *     npm run -s laconic -- train examples/private-views.ts --run runs/private-views
 */
import type { Problem } from "@laconic/core";
import { defineTask, relayHolderPrompt, relaySolverPrompt, relayTokenizer, renderRelayPrompt } from "@laconic/tasks";
import { star, type AgentSpec } from "@laconic/topologies";
import { defineRun, type RunDefinition } from "@laconic/cli";
import rows from "./private-views.json" with { type: "json" };

/** The clerk knows the price, the porter the fee. Both write to the cashier, who sees only the question. */
const problems = rows.map(({ id, question, answer, clerk, porter }): Problem => {
  return { id, question, gold: String(answer), views: { clerk, porter } };
});

const agent = (id: string, maxTokens: number, prompt: AgentSpec["prompt"]): AgentSpec => {
  return { id, role: id, maxTokens, prompt, renderPrompt: renderRelayPrompt };
};
const clerk = agent("clerk", 28, (view) => relayHolderPrompt(view, 0));
const porter = agent("porter", 28, (view) => relayHolderPrompt(view, 1));
const cashier = agent("cashier", 20, relaySolverPrompt);

const [testProblems, train] = [problems.slice(0, 12), problems.slice(12)];
export const board = {
  name: "private views",
  problems: testProblems.map((each) => ({ ...each, grading: { kind: "numeric" } })),
};
export const task = defineTask({
  name: "private-views",
  about: "A clerk and a porter each read a column that nobody else sees, and write to a cashier, who adds the two up.",
  topology: star([clerk, porter], cashier),
  tokenizer: relayTokenizer,
  grader: (answer, { gold }) => (answer?.trim() === gold ? 1 : 0),
  train,
  testProblems,
});

const run: RunDefinition = defineRun({
  task,
  device: "wasm",
  train: {
    steps: 24,
    groupBy: "prompt+agent",
    oldLogProbs: "sampler",
    advantage: { estimator: "group", scale: "none" },
    objective: { name: "gspo", clip: { low: 0.1, high: 0.1 } },
    prices: { tokens: 0.002 },
    optimizer: { learningRate: { peak: 5e-4, warmUpSteps: 2 } },
  },
});
export default run;
