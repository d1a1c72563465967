// A clerk is asked for the stock of a good on a shelf. It can guess, mostly wrongly, or call a tool, which has a price.
import { randomFromSeed, type ExampleFunction, type Problem } from "@laconic/core";
import { defineTask } from "@laconic/tasks";
import { jsonTools, toolEnvironment, type Tool } from "@laconic/tasks/tools";
import { chatTemplate, solo } from "@laconic/topologies";

const goods = ["tea", "rum", "ink", "oil", "jam", "rye", "wax", "fig", "hay", "nut"];
const chance = randomFromSeed("stock");
const places = goods.flatMap((good) => [1, 2, 3, 4, 5, 6, 7, 8, 9].map((shelf) => `${good} ${shelf}`));
const stock: Readonly<Record<string, string>> = Object.fromEntries(
  places.map((place) => [place, String(chance.integer(10))]),
);
const problems = chance.shuffle(places).map((place): Problem => {
  return { id: place, question: `${place.replace(" ", " on ")}?`, gold: stock[place] ?? "" };
});

/** Parameters are a JSON Schema or zod schema; `run` may call a database, a server or another program. */
const lookUp: Tool = {
  name: "stock",
  description: "How many of a good lie on a shelf.",
  parameters: { type: "object", properties: { at: { type: "string" } }, required: ["at"] },
  run: ({ at }: { at: string }) => stock[at] ?? "none",
};

const system = "Say how many.";
const call = (at: string) => `{"name": "stock", "arguments": {"at": "${at}"}}`;

/** Warm-start examples: half of them call the tool, the others guess. */
export const examples: ExampleFunction = ({ id, question, gold }, random) => {
  const said = (role: "user" | "assistant", content: string) => ({ role, content });
  const looked = [said("assistant", call(id)), said("user", gold), said("assistant", gold)];
  const reply = random.uniform() < 0.5 ? looked : [said("assistant", String(random.integer(10)))];
  return { messages: [{ role: "system", content: system }, said("user", question), ...reply] };
};

export default defineTask({
  name: "stock",
  topology: solo({
    id: "clerk",
    role: "clerk",
    maxTokens: 64,
    prompt: chatTemplate("stock@1", system, ({ question }) => question).render,
  }),
  // Larger models need the tools in the prompt: jsonTools() or hermesTools() without `tells`.
  environment: toolEnvironment({ tools: [lookUp], format: jsonTools({ tells: false }), price: 0.05, maxSteps: 2 }),
  train: problems.slice(30),
  testProblems: problems.slice(0, 30),
  grader: (answer, { gold }) => (answer?.trim() === gold ? 1 : 0),
});
