/**
 * A programmer whose environment runs the tests: it reads what failed and writes again, as in MAGRPO's coding with feedback. The Python
 * sandbox is one value that check and training share, closed once at the end. A script stands in for the model.
 *
 *     npx tsx examples/python-environment.ts
 */
import { randomFromSeed, type Problem } from "@laconic/core";
import { scriptedModel } from "@laconic/core/testing";
import { createSandbox } from "@laconic/sandbox";
import { defineEnvironment, defineTask } from "@laconic/tasks";
import { pythonAnswer } from "@laconic/tasks/tools";
import { chatTemplate, problemText, solo } from "@laconic/topologies";

const sandbox = await createSandbox();

/** A gold is a test; every failed attempt costs. */
const tests = defineEnvironment<Problem>({
  name: "tests",
  reset: (problem) => problem,
  async step({ gold }, { text }, { signal, record }) {
    record("attempts");
    const printed = await pythonAnswer(sandbox, `${text}\n${gold}\nprint("passed")`, {
      seconds: 2,
      ...(signal && { signal }),
    });
    if (printed.endsWith("passed")) return { reward: 1, done: true };
    return {
      observation: `The test failed:\n${printed.split("\n").at(-1) ?? ""}\nWrite the program again.`,
      reward: -0.1,
    };
  },
  maxSteps: 3,
});

export const task = defineTask({
  name: "programmer",
  topology: solo({
    id: "programmer",
    role: "writes Python",
    maxTokens: 600,
    prompt: chatTemplate("programmer@1", "Write Python and nothing else.", problemText).render,
  }),
  environment: tests,
  grader: () => 0, // the environment's reward says it all
  train: [{ id: "double", question: "Define double(x).", gold: "assert double(2) == 4" }],
  heldOut: [{ id: "mean", question: "Define mean(values).", gold: "assert mean([1, 2]) == 1.5" }],
  close: () => sandbox.close(),
});

const model = scriptedModel([
  "def mean(values):\n    return sum(values) // 2",
  "def mean(values):\n    return sum(values) / len(values)",
]);
const [problem] = task.heldOut;
if (!problem) throw new Error("no problem");
const context = { models: { programmer: model }, sampling: { temperature: 1 }, random: randomFromSeed(0) };
const { observations, stopReason, measures } = await task.topology.run(problem, context);
console.log({ observations, stopReason, measures });
await task.close?.();
