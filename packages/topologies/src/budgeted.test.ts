import { randomFromSeed, type Prompt } from "@laconic/core";
import { scriptedModel } from "@laconic/core/testing";
import { expect, test } from "vitest";
import {
  budgeted,
  chatTemplate,
  graphTopology,
  star,
  withBudget,
  type AgentSpec,
  type AgentView,
  type PromptTemplate,
} from "./index.ts";

const problem = { id: "1", question: "k+e", gold: "15" };
const template = chatTemplate("ask@1", "Answer.", ({ question }) => question);
const agent = (id: string, { render }: PromptTemplate = template): AgentSpec => ({
  id,
  role: id,
  maxTokens: 20,
  prompt: render,
});
const contextOf = (replies: Readonly<Record<string, string>>) => ({
  models: Object.fromEntries(Object.entries(replies).map(([id, text]) => [id, scriptedModel(text)])),
  sampling: { temperature: 1 },
  random: randomFromSeed(0),
});

test("a view has the budget and its rest, equal for simultaneous speakers, never below 0", async () => {
  const views: AgentView[] = [];
  const watching: PromptTemplate = {
    id: "watching@1",
    render: (view) => {
      views.push(view);
      return { kind: "text", text: "" };
    },
  };
  const team = star([agent("a", watching), agent("b", watching)], agent("s", watching));
  const context = contextOf({ a: "k6", b: "e9 and more", s: "15" });
  await team.run(problem, { ...context, budget: { targetTokens: 20 } });
  expect(views.map(({ budget }) => budget)).toEqual([
    { targetTokens: 20, spentTokens: 0, leftTokens: 20 },
    { targetTokens: 20, spentTokens: 0, leftTokens: 20 },
    { targetTokens: 20, spentTokens: 15, leftTokens: 5 },
  ]);
  await team.run(problem, { ...context, budget: { targetTokens: 7.5 } });
  expect(views.at(-1)?.budget).toEqual({ targetTokens: 7.5, spentTokens: 15, leftTokens: 0 });
  await team.run(problem, context);
  expect(views.at(-1)).not.toHaveProperty("budget");
});

test("agents get a sentence about a budget, and none without one", async () => {
  const reported = withBudget(template);
  const team = star([agent("a", reported)], agent("s", reported));
  const texts = async (budget?: { targetTokens: number }): Promise<string[]> => {
    const { utterances } = await team.run(problem, { ...contextOf({ a: "k6", s: "15" }), ...(budget && { budget }) });
    return utterances.map(({ prompt }) => prompt);
  };
  expect(reported.id).toBe("ask@1+budget@1");
  expect(await texts()).toEqual(["[system]\nAnswer.\n\n[user]\nk+e", "[system]\nAnswer.\n\n[user]\nk+e"]);
  expect(await texts({ targetTokens: 14 })).toEqual([
    "[system]\nAnswer.\n\n[user]\nk+e\n\nThe whole team has a budget of 14 tokens; none is written yet.",
    "[system]\nAnswer.\n\n[user]\nk+e\n\nThe whole team has a budget of 14 tokens; 3 are written, 11 are left.",
  ]);
});

const view: AgentView = {
  agent: "a",
  role: "a",
  question: "?",
  inbox: [],
  round: 0,
  budget: { targetTokens: 9, spentTokens: 4, leftTokens: 5 },
};

test.for<[string, Prompt, Prompt]>([
  ["a text", { kind: "text", text: "Q: ?\nA:" }, { kind: "text", text: "5 left\n\nQ: ?\nA:" }],
  [
    "a chat that ends with a reply",
    { kind: "messages", messages: [{ role: "assistant", content: "yes" }] },
    {
      kind: "messages",
      messages: [
        { role: "assistant", content: "yes" },
        { role: "user", content: "5 left" },
      ],
    },
  ],
])("accepts a custom sentence: %s", ([, before, after]) => {
  const promptTemplate = withBudget({ id: "own", render: () => before }, ({ leftTokens }) => `${leftTokens} left`);
  expect(promptTemplate.render(view)).toEqual(after);
});

test("a prompt of token ids is refused", () => {
  const tokens = withBudget({ id: "ids@1", render: () => ({ kind: "tokens", tokens: [1] }) });
  expect(() => tokens.render(view)).toFailWith("topology_invalid");
});

test("a budgeted topology brings its budget; that of a context goes first", async () => {
  const seen: (number | undefined)[] = [];
  const spec: AgentSpec = {
    ...agent("a"),
    prompt: ({ budget }) => {
      seen.push(budget?.targetTokens);
      return { kind: "text", text: "" };
    },
  };
  const graph = { name: "one", agents: [spec], rounds: 1, answer: { name: "none", agents: ["a"], choose: () => null } };
  const topology = budgeted(graphTopology<string>(graph), { targetTokens: 30 });
  const context = contextOf({ a: "x" });
  await topology.run(problem, context);
  await topology.run(problem, { ...context, budget: { targetTokens: 50 } });
  expect(seen).toEqual([30, 50]);
  expect(() => budgeted(topology, { targetTokens: 0 })).toFailWith("config_invalid");
});
