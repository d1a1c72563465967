import type { Environment } from "@laconic/core";
import { describe, expect, test } from "vitest";
import { defineEnvironment } from "../define-environment.ts";
import { calculator, hermesTools, jsonTools, llamaTools, toolEnvironment } from "../tools/index.ts";
import { environmentCases, type EnvironmentSubject } from "./environment-cases.ts";

const problem = { id: "p", question: "Guess", gold: "3" };
const call = (key: string) => `{"name": "calculator", "${key}": {"expression": "1+1"}}`;

const guessing = (): Environment =>
  defineEnvironment<{ readonly number: number; tries: number }>({
    name: "guessing",
    reset: (_, { random }) => ({ number: random.integer(1e6), tries: 0 }),
    async step(state, { text }, { random }) {
      await Promise.resolve();
      state.tries += 1;
      if (!/^\d+$/u.test(text)) return {};
      return { observation: `try ${state.tries} of ${state.number}: ${random.integer(1e6)}`, reward: -1 };
    },
  });

const subjects: Readonly<Record<string, () => EnvironmentSubject>> = {
  guessing: () => ({ environment: guessing(), problem, texts: ["5", "7", "I give up"] }),
  "tools, lines of JSON": () => ({
    environment: toolEnvironment({ tools: [calculator], format: jsonTools() }),
    problem,
    texts: [call("arguments"), "2"],
  }),
  "tools, Hermes": () => ({
    environment: toolEnvironment({ tools: [calculator], format: hermesTools() }),
    problem,
    texts: [`<tool_call>${call("arguments")}</tool_call>`, "2"],
  }),
  "tools, Llama 3": () => ({
    environment: toolEnvironment({ tools: { agent: [calculator] }, format: llamaTools() }),
    problem,
    texts: [call("parameters"), "2"],
  }),
};

describe.each(Object.entries(subjects))("%s", (_, create) => {
  test.each(environmentCases)("$name", ({ run }) => expect(run(create)).resolves.toBeUndefined());
});

describe("the suite finds", () => {
  const shared = { number: 1, tries: 0 };

  test.each<[string, Partial<Environment>, readonly number[]]>([
    ["an environment that never answers", { step: () => ({}) }, [0]],
    ["a state that episodes share", { reset: () => shared }, [1, 2]],
    [
      "one that throws at odd texts",
      { step: (_, { text }) => ({ observation: `${JSON.parse(text) === 5}` }) },
      [0, 1, 2, 3, 4],
    ],
  ])("%s", async (_, change, matches) => {
    const environment = { ...guessing(), ...change };
    const failed = new Set<number>();
    for (const [i, { run }] of environmentCases.entries())
      await run(() => ({ environment, problem, texts: ["5", "7", "end"] })).catch(() => failed.add(i));
    expect([...failed]).toEqual(matches);
  });
});
