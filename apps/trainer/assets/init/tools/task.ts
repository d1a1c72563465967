// A clerk looks up what is in stock with a tool, and says it. A call costs: what it can know by itself, it may learn to know.
import { randomFromSeed, type ExampleFunction, type Problem } from "@laconic/core";
import { defineTask } from "@laconic/tasks";
import { jsonTools, toolEnvironment, type Tool } from "@laconic/tasks/tools";
import { chatTemplate, solo } from "@laconic/topologies";

const stock: Readonly<Record<string, number>> = { tea: 3, rum: 9, ink: 5, oil: 7, jam: 4, rye: 2, wax: 6, fig: 8 };
const ways = ["any GOOD?", "is there GOOD", "how much GOOD", "GOOD left?", "count GOOD", "we need GOOD"];
const problems = Object.entries(stock).flatMap(([good, count]) =>
  ways.map((way): Problem => ({ id: `${good}: ${way}`, question: way.replace("GOOD", good), gold: String(count) })),
);
const shuffled = randomFromSeed("stock").shuffle(problems);

/** Any JSON Schema or zod schema; `run` may ask a database, a server, another program. */
const lookUp: Tool = {
  name: "stock",
  description: "How many of a good there are.",
  parameters: { type: "object", properties: { good: { type: "string" } }, required: ["good"] },
  run: ({ good }: { good: string }) => String(stock[good] ?? "none"),
};

const system = "Say how many.";
const call = (good: string) => `{"name": "stock", "arguments": {"good": "${good}"}}`;

/** What the model is shown: to call, to read the answer, and to say it. */
export const examples: ExampleFunction = ({ id, question, gold }) => ({
  messages: [
    { role: "system", content: system },
    { role: "user", content: question },
    { role: "assistant", content: call(id.slice(0, 3)) },
    { role: "user", content: gold },
    { role: "assistant", content: gold },
  ],
});

export default defineTask({
  name: "stock",
  topology: solo({
    id: "clerk",
    role: "clerk",
    maxTokens: 64,
    prompt: chatTemplate("stock@1", system, ({ question }) => question).render,
  }),
  // A larger model is told of its tools: jsonTools() or hermesTools() without `tells`.
  environment: toolEnvironment({ tools: [lookUp], format: jsonTools({ tells: false }), price: 0.05, maxSteps: 2 }),
  train: shuffled.slice(12),
  heldOut: shuffled.slice(0, 12),
  grader: (answer, { gold }) => (answer?.trim() === gold ? 1 : 0),
});
