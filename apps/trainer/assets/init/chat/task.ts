// An assistant in a shop says prices. Customers ask in many ways; some pairs of question and good are test problems.
import { randomFromSeed, type ExampleFunction, type Problem } from "@laconic/core";
import { defineTask } from "@laconic/tasks";
import { chatTemplate, solo } from "@laconic/topologies";

const prices = { tea: 3, rum: 9, ink: 5, oil: 7, jam: 4, rye: 2, wax: 6, fig: 8, hay: 1, gum: 6, nut: 2, pan: 9 };
const ways = [
  "price of GOOD",
  "GOOD please",
  "what is GOOD",
  "how much is GOOD",
  "GOOD costs?",
  "sell me GOOD",
  "i want GOOD",
  "is GOOD dear?",
  "GOOD, and cheap",
  "one GOOD",
];
const problems = Object.entries(prices).flatMap(([good, price]) =>
  ways.map((way): Problem => ({ id: `${good}: ${way}`, question: way.replace("GOOD", good), gold: String(price) })),
);
const shuffled = randomFromSeed("shop").shuffle(problems);

const system = "Say the price.";

/** Warm-start examples: half of the replies are too long. */
export const examples: ExampleFunction = ({ question, gold }, random) => ({
  messages: [
    { role: "system", content: system },
    { role: "user", content: question },
    { role: "assistant", content: random.uniform() < 0.5 ? gold : `that would be ${gold}` },
  ],
});

export default defineTask({
  name: "shop",
  topology: solo({
    id: "clerk",
    role: "clerk",
    maxTokens: 24,
    prompt: chatTemplate("shop@1", system, ({ question }) => question).render,
  }),
  train: shuffled.slice(48),
  testProblems: shuffled.slice(0, 48),
  grader: (answer, { gold }) => (answer?.split(" ").at(-1) === gold ? 1 : 0),
});
