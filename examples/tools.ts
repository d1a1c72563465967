/**
 * A solver with tools: a calculator, a search over custom documents, and a custom tool.
 *
 *     npm run -s laconic -- train examples/tools.ts --run runs/tools
 *     npm run -s laconic -- bench --benchmarks ./examples/tools.ts#board --methods tools=runs/tools --model none
 */
import { defineTask } from "@laconic/tasks";
import { calculator, defineTool, searchTool, toolEnvironment } from "@laconic/tasks/tools";
import { chatTemplate, problemText, solo } from "@laconic/topologies";
import { defineRun, type RunDefinition } from "@laconic/cli";
import { z } from "zod";

const prices = { chair: 45, table: 120, lamp: 30, shelf: 85 };
const rates = { at: 20, de: 19 };
const vat = defineTool({
  name: "vat",
  description: "The value-added tax of a country, in per cent.",
  parameters: z.object({ country: z.enum(["at", "de"]) }),
  run: ({ country }) => rates[country],
});
const documents = Object.entries(prices).map(([id, euros]) => ({ id, text: `A ${id} costs ${euros} euros.` }));

const problems = Object.entries(prices).flatMap(([item, euros]) =>
  Object.entries(rates).flatMap(([country, rate]) =>
    [2, 3, 4].map((count) => ({
      id: `${count} ${item} ${country}`,
      question: `What do ${count} of the article ${item} cost with tax in the country ${country}?`,
      gold: String(Math.round(count * euros * (100 + rate)) / 100),
    })),
  ),
);
const [testProblems, train] = [problems.slice(0, 6), problems.slice(6)];
export const board = {
  name: "shop",
  problems: testProblems.map((each) => ({ ...each, grading: { kind: "numeric" } })),
};

const said = "Use the tools. Then answer with a number alone.";
export const task = defineTask({
  name: "shop",
  topology: solo({
    id: "solver",
    role: "answers",
    maxTokens: 400,
    prompt: chatTemplate("shop@1", said, problemText).render,
  }),
  // Two calls in one text run concurrently. An error is returned as an answer and does not end the episode.
  environment: toolEnvironment({
    tools: [calculator, searchTool(documents), vat],
    price: 0.05,
    limits: { seconds: 5 },
  }),
  grader: (answer, { gold }) => (Number(answer) === Number(gold) ? 1 : 0),
  train,
  testProblems,
});

const run: RunDefinition = defineRun({ task, model: "hub:Qwen/Qwen3-0.6B", train: { steps: 50 } });
export default run;
