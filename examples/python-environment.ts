/**
 * A programmer whose environment runs the tests: it reads failures and tries again. Checks and training share one
 * Python sandbox, which is closed once at the end.
 *
 *     npm run -s laconic -- train examples/python-environment.ts --run runs/python
 */
import type { Problem } from "@laconic/core";
import { createSandbox } from "@laconic/sandbox";
import { defineEnvironment, defineTask } from "@laconic/tasks";
import { pythonAnswer } from "@laconic/tasks/tools";
import { chatTemplate, problemText, solo } from "@laconic/topologies";
import { defineRun, type RunDefinition } from "@laconic/cli";

const sandbox = await createSandbox();

/** A gold answer is a test; each failed attempt has a cost. */
const tests = defineEnvironment<Problem>({
  name: "tests",
  reset: (problem) => problem,
  async step({ gold }, { text }, { signal, record }) {
    record("attempts");
    const program = `${text}\n${gold}\nprint("passed")`;
    const printed = await pythonAnswer(sandbox, program, { seconds: 2, ...(signal && { signal }) });
    if (printed.endsWith("passed")) {
      record("passed");
      return { reward: 1, done: true };
    }
    const failed = printed.split("\n").at(-1) ?? "";
    return { observation: `The test failed:\n${failed.slice(0, 200)}\nWrite the program again.`, reward: -0.1 };
  },
  maxSteps: 3,
});

const program = (id: string, question: string, gold: string) => ({ id, question: `Define ${question}.`, gold });
const train = [
  program("double", "double(x)", "assert double(2) == 4"),
  program("last", "last(values)", "assert last([1, 2]) == 2"),
];
const testProblems = [program("mean", "mean(values)", "assert mean([1, 2]) == 1.5")];
const grading = { kind: "code", entryPoint: "mean", prompt: "", test: "def check(f):\n    assert f([1, 2]) == 1.5" };
export const board = { name: "programs", problems: testProblems.map((each) => ({ ...each, grading })) };

export const task = defineTask({
  name: "programmer",
  topology: solo({
    id: "programmer",
    role: "writes Python",
    maxTokens: 600,
    prompt: chatTemplate("programmer@1", "Write Python and nothing else.", problemText).render,
  }),
  environment: tests,
  reward: ({ measures }) => ({ team: {}, score: measures?.["passed"] ?? 0 }), // steps earn the rest
  train,
  testProblems,
  close: () => sandbox.close(),
});

const run: RunDefinition = defineRun({ task, model: "hub:Qwen/Qwen3-0.6B", train: { steps: 50 } });
export default run;
