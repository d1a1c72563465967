import { ledgerTotals, randomFromSeed, type EpisodeContext, type LanguageModel, type Problem } from "@laconic/core";
import { episodeSchema } from "@laconic/core/schemas";
import { scriptedModel } from "@laconic/core/testing";
import { expect, test } from "vitest";
import { answerOf, graphTopology, solo, star, type AgentSpec, type AgentView } from "./index.ts";

const problem: Problem = { id: "sum", question: "k+e", gold: "15", views: { a: "k6", b: "e9" } };

/** Writes a fixed reply, one token per character and the end token; cut at the limit. */
const says = (text: string): LanguageModel =>
  scriptedModel(({ sampling: { maxTokens } }) => ({
    text: text.slice(0, maxTokens),
    finishReason: text.length < maxTokens ? "stop" : "length",
    usage: { promptTokens: 10, completionTokens: Math.min(text.length + 1, maxTokens), counted: "model" },
  }));

const views: AgentView[] = [];
function agent<A extends string>(id: A, maxTokens = 8): AgentSpec<A> {
  return {
    id,
    role: id === "s" ? "solver" : "holder",
    maxTokens,
    prompt: (view) => {
      views.push(view);
      return {
        kind: "text",
        text: `${view.question}|${view.inbox.map((message) => message.text).join("|")}`,
      };
    },
  };
}

function contextOf(replies: Readonly<Record<string, string>>, more: Partial<EpisodeContext> = {}): EpisodeContext {
  const models = Object.fromEntries(Object.entries(replies).map(([id, text]) => [id, says(text)]));
  return { models, sampling: { temperature: 1 }, random: randomFromSeed(0), ...more };
}

const team = star([agent("a"), agent("b"), agent("c")], agent("s"));
const spoken = { a: "k6", b: "e9", c: "", s: "15" };

test("a star: turns, reads, deliveries, silence and totals", async () => {
  views.length = 0;
  const episode = await team.run(problem, contextOf(spoken));
  expect(episodeSchema.parse(episode)).toEqual(episode);
  expect([episode.answer, episode.stopReason, episode.problemId, episode.topology]).toEqual([
    "15",
    "answered",
    "sum",
    "star",
  ]);
  expect(episode.utterances.map((spoke) => [spoke.agent, spoke.turn, spoke.deliveredTo])).toEqual([
    ["a", 0, ["s"]],
    ["b", 1, ["s"]],
    ["c", 2, []],
    ["s", 3, []],
  ]);
  expect(episode.ledger.calls[3]?.reads).toEqual([
    { from: "a", turn: 0, tokens: 2 },
    { from: "b", turn: 1, tokens: 2 },
  ]);
  expect(ledgerTotals(episode.ledger)).toEqual({
    calls: 4,
    promptTokens: 40,
    writtenTokens: 10,
    readTokens: 4,
    writtenByAgent: { a: 3, b: 3, c: 1, s: 3 },
    readByAgent: { a: 0, b: 0, c: 0, s: 4 },
    readByEdge: { "a->s": 2, "b->s": 2 },
  });
  expect(views[0]).toEqual({
    agent: "a",
    role: "holder",
    question: "k+e",
    privateView: "k6",
    inbox: [],
    round: 0,
  });
  expect(views[3]?.inbox.map(({ from, text, silent }) => [from, text, silent])).toEqual([
    ["a", "k6", false],
    ["b", "e9", false],
    ["c", "", true],
  ]);
  expect(views[3]).not.toHaveProperty("privateView");
});

test("an agent with the name of an object's method has no view unless it is given", async () => {
  views.length = 0;
  await solo(agent("toString")).run(problem, contextOf({ toString: "15" }));
  expect(views[0]).not.toHaveProperty("privateView");
});

test("the inbox holds temporal messages first, each kind in declared edge order", async () => {
  views.length = 0;
  const graph = graphTopology({
    name: "order",
    agents: [agent("a"), agent("b"), agent("s")],
    rounds: 2,
    spatial: [
      { from: "b", to: "s" },
      { from: "a", to: "s" },
    ],
    temporal: [
      { from: "s", to: "s" },
      { from: "a", to: "s" },
    ],
    answer: answerOf("s"),
  });
  await graph.run(problem, contextOf({ a: "a", b: "b", s: "s" }));
  const solverViews = views.filter((view) => view.agent === "s");
  expect(solverViews.map((view) => view.inbox.map(({ from, round, turn }) => [from, round, turn]))).toEqual([
    [
      ["b", 0, 1],
      ["a", 0, 0],
    ],
    [
      ["s", 0, 2],
      ["a", 0, 0],
      ["b", 1, 4],
      ["a", 1, 3],
    ],
  ]);
});

test("agents without inputs speak at once", async () => {
  let running = 0;
  let most = 0;
  const model: LanguageModel = {
    id: "slow",
    async complete(request) {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
      return says("x").complete(request);
    },
  };
  await team.run(problem, contextOf({}, { models: { a: model, b: model, c: model, s: model } }));
  expect(most).toBe(3);
});

test("an answer cut by its own limit is kept and counted as truncated", async () => {
  const topology = solo(agent("a", 3));
  const cut = await topology.run(problem, contextOf({ a: "12345" }));
  expect([cut.answer, cut.stopReason]).toEqual(["123", "truncated"]);
  const sampling = { temperature: 1, maxTokens: 2 };
  const shorter = await topology.run(problem, contextOf({ a: "12345" }, { sampling }));
  expect([shorter.answer, shorter.stopReason]).toEqual(["12", "truncated"]);
});

test("the first error in turn order is thrown, after every call has ended", async () => {
  let ended = 0;
  const failing = (name: string, delay: number): LanguageModel => ({
    id: name,
    async complete() {
      for (let i = 0; i < delay; i++) await Promise.resolve();
      ended += 1;
      throw new Error(name);
    },
  });
  const models = {
    a: failing("slow", 50),
    b: failing("fast", 0),
    c: failing("medium", 9),
    s: says(""),
  };
  await expect(team.run(problem, contextOf({}, { models }))).rejects.toThrow("slow");
  expect(ended).toBe(3);
});

test("a missing model is named before anyone is asked", async () => {
  let asked = 0;
  const model: LanguageModel = {
    id: "m",
    complete: (request) => ((asked += 1), says("x").complete(request)),
  };
  await expect(team.run(problem, contextOf({}, { models: { a: model, b: model, c: model } }))).rejects.toFailWith(
    "input_invalid",
    { agent: "s" },
  );
  expect(asked).toBe(0);
});

test("an agent's turns of one episode are one conversation; an agent that speaks once has none", async () => {
  const asked: (string | undefined)[] = [];
  const model: LanguageModel = {
    id: "asked",
    complete(request) {
      asked.push(request.conversation);
      return says("x").complete(request);
    },
  };
  const graph = graphTopology({
    name: "talk",
    agents: [agent("a"), agent("b")],
    rounds: 2,
    temporal: [{ from: "a", to: "b" }],
    answer: answerOf("b"),
  });
  const context = contextOf({}, { models: { a: model, b: model, c: model, s: model } });
  await graph.run(problem, context);
  await graph.run(problem, { ...context, random: randomFromSeed(1) });
  expect(asked[0]).toBe(asked[2]);
  expect(asked[1]).toBe(asked[3]);
  expect(new Set(asked).size).toBe(4);
  asked.length = 0;
  await team.run(problem, context);
  expect(new Set(asked)).toEqual(new Set([undefined]));
});
