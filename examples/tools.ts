/**
 * A solver with tools: a calculator, a search over documents of one's own, and a tool of one's own. A script stands in for the model,
 * so that this runs anywhere; the same task trains with `model: "hub:OWNER/NAME"` in `defineRun`.
 *
 *     npx tsx examples/tools.ts
 */
import { ledgerTotals, randomFromSeed } from "@laconic/core";
import { scriptedModel } from "@laconic/core/testing";
import { defineTask } from "@laconic/tasks";
import { calculator, defineTool, searchTool, toolEnvironment } from "@laconic/tasks/tools";
import { chatTemplate, problemText, solo } from "@laconic/topologies";
import { z } from "zod";

const documents = [
  { id: "prices", title: "Price list", text: "A chair costs 45 euros. A table costs 120 euros." },
  { id: "hours", text: "The shop opens at nine." },
];
const vat = defineTool({
  name: "vat",
  description: "The value-added tax of a country, in per cent.",
  parameters: z.object({ country: z.enum(["at", "de"]) }),
  run: ({ country }) => ({ at: 20, de: 19 })[country],
});

const task = defineTask({
  name: "shop",
  topology: solo({
    id: "solver",
    role: "answers",
    maxTokens: 400,
    prompt: chatTemplate("shop@1", "Answer with a number.", problemText).render,
  }),
  environment: toolEnvironment({
    tools: [calculator, searchTool(documents), vat],
    price: 0.05,
    limits: { seconds: 5 },
  }),
  grader: (answer, { gold }) => (answer?.includes(gold) ? 1 : 0),
  train: [{ id: "train", question: "What do two tables cost?", gold: "240" }],
  heldOut: [{ id: "test", question: "What do four chairs and a table cost, with tax in Austria?", gold: "360" }],
});

const call = (name: string, given: object) => `<tool_call>${JSON.stringify({ name, arguments: given })}</tool_call>`;
const model = scriptedModel([
  call("search", { query: "chair table price" }) + call("vat", { country: "at" }), // two calls at once
  call("vat", { country: "fr" }), // a mistake is told, and ends nothing
  call("calculator", { expression: "(4 * 45 + 120) * 1.2" }),
  "It costs 360 euros.",
]);

const [problem] = task.heldOut;
if (!problem) throw new Error("no problem");
const context = { models: { solver: model }, sampling: { temperature: 1 }, random: randomFromSeed(0) };
const episode = await task.topology.run(problem, context);
for (const { turn, text } of episode.utterances) {
  const observed = episode.observations?.find((each) => each.turn === turn && each.text !== "");
  console.log(`solver: ${text}${observed ? `\n  read: ${observed.text.replaceAll("\n", "\n        ")}` : ""}`);
}
console.log(await task.reward?.(episode, problem, { signal: new AbortController().signal }));
console.log(ledgerTotals(episode.ledger).readByEdge);
