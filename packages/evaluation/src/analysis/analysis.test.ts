import { randomFromSeed, type Environment, type Episode, type LanguageModel } from "@laconic/core";
import { scriptedEpisode, scriptedModel, type Script } from "@laconic/core/testing";
import { inEnvironment, solo, star, type AgentSpec } from "@laconic/topologies";
import { describe, expect, test } from "vitest";
import { commonMessages, messageValues, observationValues, summariseValues } from "./message-value.ts";
import type { RecordedEpisode } from "@laconic/core/run-folder";
import { rescore } from "./rescore.ts";
import { speechEdges, analyseTeam } from "./team-analysis.ts";

const text = (content: string) => ({ kind: "text" as const, text: content });
const problem = { id: "1", question: "?", gold: "6" };

const topology = star(
  ["useful", "useless", "harmful"].map((id) => ({ id, role: "holder", maxTokens: 9, prompt: () => text(id) })),
  {
    id: "solver",
    role: "solver",
    maxTokens: 9,
    prompt: ({ inbox }) => text(inbox.map(({ from, text: said }) => `${from}=${said}`).join(";")),
  },
);
const says = (reply: string) => scriptedModel(() => ({ text: reply }));
const models = {
  useful: says("66"),
  useless: says("hello"),
  harmful: says("lie"),
  solver: scriptedModel(({ prompt }) => {
    const heard = prompt.kind === "text" ? prompt.text : "";
    return { text: heard.includes("lie") ? "7" : (/useful=(6*)/u.exec(heard)?.[1] ?? "") };
  }),
};
const context = { models, sampling: { temperature: 1 }, random: randomFromSeed(0) };
const score = async ({ answer }: Episode): Promise<number> => (answer === "66" ? 1 : answer === "6" ? 0.5 : 0);
const judge = { score, valueOf: (value: number): number => value };

describe("messages have a value", () => {
  test("removing the misleading message raises the grade", async () => {
    const { values } = await messageValues(topology, problem, context, judge, "drop");
    expect(values.map(({ agent, value }) => [agent, value])).toEqual([
      ["useful", 0],
      ["useless", 0],
      ["harmful", -1],
    ]);
    const honest = { ...context, models: { ...models, harmful: says("") } };
    const { values: others } = await messageValues(topology, problem, honest, judge, "drop");
    expect(others.map(({ agent, value }) => [agent, value])).toEqual([
      ["useful", 1],
      ["useless", 0],
    ]);
    expect(summariseValues(others)).toMatchObject({ messages: 2, meanValue: 0.5, harmfulShare: 0 });
    expect(summariseValues([])).toMatchObject({ messages: 0, valuePerToken: 0, usefulTokenRatio: 0 });
  });

  test("every episode is scored once, and the total score comes back unchanged", async () => {
    const scored: Episode[] = [];
    const counting = {
      score: async (episode: Episode) => {
        scored.push(episode);
        return { grade: await score(episode) };
      },
      valueOf: ({ grade }: { grade: number }) => grade,
    };
    const { episode, score: whole, values } = await messageValues(topology, problem, context, counting, "drop");
    expect(whole).toEqual({ grade: 0 });
    expect(scored[0]).toBe(episode);
    expect([scored.length, new Set(scored).size, values.length]).toEqual([4, 4, 3]);
  });

  test.each(["drop", "halve"] as const)("cuts a message of a model that reasons (%s)", async (cut) => {
    const usage = { promptTokens: 9, completionTokens: 502, reasoningTokens: 500, counted: "server" } as const;
    const useful: LanguageModel = {
      id: "reasons",
      complete: async (request) => ({ ...(await models.useful.complete(request)), usage }),
    };
    const honest = { ...context, models: { ...models, useful, harmful: says("") } };
    const { values } = await messageValues(topology, problem, honest, judge, cut);
    expect(values.find(({ agent }) => agent === "useful")).toMatchObject({
      tokens: 502,
      value: cut === "drop" ? 1 : 0.5,
    });
  });
});

test("messages that differ in a key or a number are one form", () => {
  const said = ["the value of k is 6", "the value of m is 3", "i have 12", "k6", "m3"].map((content) => ({
    agent: "a",
    text: content,
  }));
  const { utterances } = scriptedEpisode(said);
  expect(commonMessages(utterances).map(({ form, share }) => [form, share])).toEqual([
    ["the value of x is 0", 0.4],
    ["x0", 0.4],
    ["i have 0", 0.2],
  ]);
});

test("the report has who reads whom and how much", () => {
  const episode = scriptedEpisode([
    { agent: "a<b", text: "long words" },
    { agent: "c", text: "x", reads: [0] },
  ]);
  expect(speechEdges([episode])).toMatchObject([{ from: "a<b", to: "c" }]);
});

describe("recorded episodes under other rewards", () => {
  const episode = scriptedEpisode([
    { agent: "a", text: "long words" },
    { agent: "s", text: "15", reads: [0] },
  ]);
  const recorded: RecordedEpisode[] = [0, 0, 5].map((step, i) => ({
    step,
    problem: { ...problem, id: episode.problemId },
    episode,
    task: i === 0 ? 1 : 0,
  }));

  test("a price changes the reward, an edge what is read, a score the task", () => {
    const written = episode.ledger.calls.reduce((sum, call) => sum + call.writtenTokens, 0);
    const [first, second] = rescore(recorded, { prices: { tokens: 0.01 }, without: [] });
    expect(first).toMatchObject({ step: 0, episodes: 2, task: 0.5, writtenTokens: written });
    expect(first?.reward).toBeCloseTo(0.5 - 0.01 * written, 12);
    expect(second).toMatchObject({ step: 5, episodes: 1, task: 0 });
    const [cut] = rescore(
      recorded.map((each) => ({ ...each, task: 1 })),
      { prices: {}, without: ["a->s"] },
    );
    expect(cut).toMatchObject({ task: 1, readTokens: 0, reward: 1, writtenTokens: written });
  });
});

describe("a team before and after training", () => {
  const agents = ["a", "s"];
  const hostile = "| `x` |\n<script>";
  const talk = (said: string) =>
    scriptedEpisode([
      { agent: "a", text: said },
      { agent: "s", text: "15", reads: [0] },
    ]);
  const [long, short] = [talk("one two three four"), talk(hostile)];
  const before = { agents, episodes: [long, long], grades: [1, Number.NaN], values: [] };
  const message = { agent: "a", turn: 0, tokens: 2, text: hostile };
  const values = [1, -0.5, Number.NaN].map((value) => ({ ...message, value }));
  const old = {
    ...before,
    values: [
      { ...message, value: 0.5 },
      { ...message, value: Number.NaN },
    ],
  };
  const analysis = analyseTeam(old, { agents, episodes: [short], grades: [0], values }, { step: 7, cut: "drop" });

  test("means are over episodes; an episode without a score is counted and skipped", () => {
    const written = long.ledger.calls.reduce((sum, call) => sum + call.writtenTokens, 0);
    expect(analysis.before).toMatchObject({ episodes: 2, unscored: 1, accuracy: 1, writtenTokens: written });
    expect(analysis.after).toMatchObject({ episodes: 1, unscored: 0, accuracy: 0 });
    expect(analysis).toMatchObject({ step: 7, problems: 1, cut: "drop", agents });
    expect(analysis.valuesBefore).toMatchObject({ messages: 1, meanValue: 0.5, harmfulShare: 0 });
    expect(analyseTeam(before, before, { step: 7, cut: "drop" }).valuesBefore).toBeNull();
    expect(analysis.values).toMatchObject({ messages: 2, meanValue: 0.25, harmfulShare: 0.5 });
    expect(analysis.extremes.map(({ value }) => value)).toEqual([-0.5, 1]);
  });
});

test("an observation can be removed or swapped like a message", async () => {
  const environment: Environment = {
    name: "secrets",
    reset: () => null,
    step: (_, action) =>
      action.text.startsWith("ask") ? { observation: action.text === "ask 1" ? "42" : "noise" } : {},
  };
  const asking: Script = ({ prompt }) => {
    const said = prompt.kind === "text" ? prompt.text : "";
    if (said.endsWith("?")) return "ask 1";
    return said.includes("ask 2") ? (said.includes("42") ? "42" : "none") : "ask 2";
  };
  const speaker: AgentSpec = { id: "a", role: "a", maxTokens: 99, prompt: () => ({ kind: "text", text: "?" }) };
  const acting = inEnvironment(solo(speaker), environment);
  const own = { models: { a: scriptedModel(asking) }, sampling: { temperature: 1 }, random: randomFromSeed(1) };
  const judging = {
    score: async ({ answer }: Episode) => (answer === "42" ? 1 : 0),
    valueOf: (value: number) => value,
  };
  const { values } = await observationValues(acting, problem, own, judging);
  expect(values.map((each) => [each.turn, each.text, each.tokens, each.value])).toEqual([
    [0, "42", 1, 1],
    [1, "noise", 4, 0],
  ]);
  const swapped = await observationValues(acting, problem, own, judging, () => "42!");
  expect(swapped.values.map(({ value }) => value)).toEqual([0, 0]);
});
