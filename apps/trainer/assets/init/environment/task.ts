// Hot and cold: a walker looks for a thing one or two steps to its left or right. Each step gets the answer warmer or
// colder, and each unsuccessful step has a cost.
import type { ExampleFunction, ExampleMessage, Problem } from "@laconic/core";
import { defineEnvironment, defineTask } from "@laconic/tasks";
import { chatTemplate, solo } from "@laconic/topologies";

const maxSteps = 4;
const games = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, i): Problem => ({ id: `${from + i}`, question: `game ${from + i}`, gold: "" }));

/** State of an episode: position of the thing relative to the walker. Observations are read but never trained on. */
const searching = defineEnvironment<{ thing: number }>({
  name: "searching",
  maxSteps,
  reset: (_, { random }) => ({ thing: random.pick([-2, -1, 1, 2]) }),
  step(state, { text }, { record }) {
    record("steps");
    const step = { left: -1, right: 1 }[text.trim()];
    if (step === undefined) return { observation: "left or right", reward: -0.1 };
    const before = Math.abs(state.thing);
    state.thing -= step;
    if (state.thing !== 0) return { observation: Math.abs(state.thing) < before ? "warmer" : "colder", reward: -0.1 };
    return { done: true };
  },
});

const system = "Find it.";

/** Warm-start examples: walks that follow the observations in two of three steps. */
export const examples: ExampleFunction = ({ question }, random) => {
  const other = { left: "right", right: "left" } as const;
  let step = random.pick(["left", "right"] as const);
  const walk: ExampleMessage[] = [{ role: "assistant", content: step }];
  while (walk.length < 2 * maxSteps - 1) {
    const told = random.pick(["warmer", "colder"]);
    const isHeeded = random.uniform() < 2 / 3;
    if ((told === "colder") === isHeeded) step = other[step];
    walk.push({ role: "user", content: told }, { role: "assistant", content: step });
  }
  return { messages: [{ role: "system", content: system }, { role: "user", content: question }, ...walk] };
};

export default defineTask({
  name: "hot-and-cold",
  topology: solo({
    id: "walker",
    role: "walker",
    maxTokens: 32,
    prompt: chatTemplate("walker@1", system, ({ question }) => question).render,
  }),
  environment: searching,
  train: games(100, 200),
  testProblems: games(200, 300),
  reward: ({ stopReason }) => ({ team: { task: stopReason === "done" ? 1 : 0 } }),
});
