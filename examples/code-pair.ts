/**
 * MAGRPO's coding as an environment: a helper writes `aux`, a programmer reads it and writes the function that was asked for. The sandbox
 * judges the two together, and what it says is read before the function is written again.
 *
 *     npm run -s laconic -- train examples/code-pair.ts --run runs/code-pair
 */
import type { BenchmarkProblem } from "@laconic/benchmarks";
import type { AgentId } from "@laconic/core";
import { createSandbox } from "@laconic/sandbox";
import { defineEnvironment, defineTask, type DefinedTask } from "@laconic/tasks";
import { chain, chatTemplate, problemText, quoted, type AgentView } from "@laconic/topologies";
import { cooperationReward } from "@laconic/tasks/text";
import { defineRun, type RunDefinition } from "laconic";

const sandbox = await createSandbox();
type Tests = Extract<BenchmarkProblem["grading"], { readonly kind: "code" }>;
type Tested = BenchmarkProblem & { readonly grading: Tests };

/** The last texts count: what a step earns is what its reward, 0 to 4 in MAGRPO, is above the last one. */
const pair = defineEnvironment<{ readonly tests: Tests; aux: string; reward: number }>({
  name: "code-pair",
  reset: (problem) => ({ tests: (problem as Tested).grading, aux: "", reward: 0 }),
  async step(state, { agent, text }, { signal, record }) {
    if (agent === "helper") state.aux = text;
    if (agent === "helper") return {};
    const judged = await cooperationReward({ aux: state.aux, main: text }, state.tests, sandbox, signal && { signal });
    if (judged.undecided !== null) throw new Error(judged.undecided);
    const now = Math.max(0, judged.reward / 4);
    const gained = now - state.reward;
    state.reward = now;
    record("grade", gained);
    if (judged.terms.tests === 1) return { reward: gained, done: true };
    return { observation: `A reader says:\n${judged.feedback}\n\nWrite your function again.`, reward: gained };
  },
  maxSteps: 2,
});

const tested = (id: string, entryPoint: string, asked: string, ...checks: string[]): Tested => {
  const test = `def check(candidate):\n${checks.map((each) => `    assert candidate${each}`).join("\n")}`;
  return { id, question: `def ${asked}`, gold: "", grading: { kind: "code", prompt: "", test, entryPoint } };
};
const train = [
  tested("sum-even", "sum_even", "sum_even(values): the sum of the even numbers", "([1, 2, 4]) == 6", "([]) == 0"),
  tested("twice", "twice", "twice(text): the text two times", "('ab') == 'abab'"),
];
const testProblems = [
  tested("largest", "largest", "largest(rows): the largest number of all rows", "([[1], [3, 2]]) == 3"),
];

const agent = (id: AgentId, says: string) => {
  const prompt = chatTemplate(`${id}@1`, says, (view: AgentView) => `${problemText(view)}\n\n${quoted(view)}`).render;
  return { id, role: id, maxTokens: 512, prompt };
};
const helper = agent(
  "helper",
  "Write one Python function aux that helps to write the function below. Reply with code alone.",
);
const main = agent("main", "Write the Python function below; you may call aux. Reply with code alone.");

export const task: DefinedTask = defineTask({
  name: "code-pair",
  topology: chain([helper, main]),
  environment: pair,
  reward: ({ measures }) => ({ team: {}, score: measures?.["grade"] ?? 0 }), // the steps earn it
  train,
  testProblems,
  close: () => sandbox.close(),
});

const run: RunDefinition = defineRun({ task, model: "hub:Qwen/Qwen2.5-Coder-0.5B-Instruct", train: { steps: 50 } });
export default run;
