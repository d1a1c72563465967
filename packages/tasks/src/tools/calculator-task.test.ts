import { randomFromSeed } from "@laconic/core";
import { scriptedModel } from "@laconic/core/testing";
import { expect, test } from "vitest";
import { relayTokenizer } from "../relay/tokenizer.ts";
import { taskCases } from "../testing/index.ts";
import { calculatorTask } from "./calculator-task.ts";

const create = () => ({
  task: calculatorTask({ testProblems: 40 }),
  solve: ({ gold }: { readonly gold: string }) => gold,
});

test.each(taskCases)("$name", ({ run }) => expect(run(create)).resolves.toBeUndefined());

test("a call has a price and a result in tokens that extend the prompt; a right answer without a call has none", async () => {
  const task = calculatorTask();
  const problem = task.testProblems.find(({ group }) => group === "hard");
  if (!problem || !task.reward) throw new Error("no hard problem, or no reward");
  const played = async (...texts: string[]) => {
    const model = scriptedModel(({ prompt }, call) => {
      const text = texts[call] ?? "";
      const tokens = [...relayTokenizer.encode(text), relayTokenizer.endToken];
      const promptTokens = prompt.kind === "tokens" ? prompt.tokens : [];
      const usage = { promptTokens: promptTokens.length, completionTokens: tokens.length, counted: "model" } as const;
      return { text, usage, trace: { promptTokens, tokens, logProbs: tokens.map(() => -1) } };
    });
    const context = { models: { solver: model }, sampling: { temperature: 1 }, random: randomFromSeed(1) };
    const episode = await task.topology.run(problem, context);
    return { episode, reward: await task.reward?.(episode, problem, { signal: new AbortController().signal }) };
  };
  const asked = await played(problem.question, problem.gold);
  expect(asked.reward).toMatchObject({ team: { task: 1, environment: -0.2 }, score: 1, measures: { calls: 1 } });
  expect(asked.episode.utterances[1]?.prompt).toBe(`S:${problem.question}?>${problem.question}.?${problem.gold}>`);
  const alone = await played(problem.gold);
  expect(alone.reward).toMatchObject({ team: { task: 1 }, score: 1, measures: { calls: 0 } });
});
