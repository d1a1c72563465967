import { randomFromSeed, type AgentId, type Episode, type EpisodeLimits, type LedgerCall } from "@laconic/core";
import { scriptedModel } from "@laconic/core/testing";
import { expect, test } from "vitest";
import { debateGraph, graphTopology, programTopology, synchronousTurns, type AgentSpec } from "./index.ts";
import { admit } from "./limits.ts";
import type { Turn } from "./turn.ts";

const problem = { id: "1", question: "what is asked?", gold: "x" };
const agent = (id: string, maxTokens = 20): AgentSpec => ({
  id,
  role: id,
  maxTokens,
  prompt: ({ inbox }) => ({ kind: "text", text: inbox.map(({ text }) => text).join("|") }),
});

function writer(text: string) {
  const allowed: number[] = [];
  const model = scriptedModel(({ sampling: { maxTokens } }) => {
    allowed.push(maxTokens);
    const written = Math.min(text.length + 1, maxTokens);
    return {
      text: text.slice(0, maxTokens),
      usage: { promptTokens: 0, completionTokens: written, counted: "model" },
      finishReason: text.length < maxTokens ? "stop" : "length",
    };
  });
  return { model, allowed };
}

function turnsOf(written: Readonly<Record<AgentId, number>>): Turn[] {
  return Object.entries(written).map(
    ([id, writtenTokens], turn) =>
      ({
        call: { agent: id, turn, round: 0, promptTokens: 0, writtenTokens, reads: [] } satisfies LedgerCall,
      }) as unknown as Turn,
  );
}

test.for<
  [
    name: string,
    wave: string,
    written: Record<string, number>,
    EpisodeLimits,
    admitted: string,
    limit: string | null,
    spent: string,
  ]
>([
  ["no limits", "a b", { a: 9 }, {}, "a:Infinity b:Infinity", null, ""],
  ["what an agent has left", "a b", { a: 7 }, { maxTokensPerAgent: 10 }, "a:3 b:10", null, ""],
  ["a spent agent is left out", "a b", { a: 10 }, { maxTokensPerAgent: 10 }, "b:10", null, "a"],
  ["all are spent", "a", { a: 10 }, { maxTokensPerAgent: 10 }, "", null, "a"],
  ["an agent's lines share", "a a b", { a: 3 }, { maxTokensPerAgent: 10 }, "a:3 a:3 b:10", null, ""],
  ["the team's share is less", "a b", { a: 7 }, { maxTokens: 12, maxTokensPerAgent: 10 }, "a:2 b:2", null, ""],
  ["the team's limit ends it", "a b", { a: 7 }, { maxTokens: 8, maxTokensPerAgent: 10 }, "", "token_limit", ""],
  ["a token each is left", "a", { a: 7 }, { maxTokens: 8 }, "a:1", null, ""],
  ["a spent agent takes no turn", "a b", { a: 4 }, { maxTurns: 2, maxTokensPerAgent: 4 }, "b:4", null, "a"],
  ["the turns that are left", "a b c", { a: 4 }, { maxTurns: 2, maxTokensPerAgent: 4 }, "b:4", "turn_limit", "a"],
])("%s", ([, wave, written, limits, admitted, limit, spent]) => {
  const admission = admit(wave.split(" "), (id) => id, turnsOf(written), limits);
  expect(admission.speakers.map(({ speaker, maxTokens }) => `${speaker}:${maxTokens}`).join(" ")).toBe(admitted);
  expect([admission.limit, admission.spent.join(" ")]).toEqual([limit, spent]);
});

test("a limit that is no count is refused", () => {
  const refused = expect.objectContaining({ code: "config_invalid" }) as Error;
  expect(() => admit(["a"], (id) => id, [], { maxTokensPerAgent: 0 })).toThrow(refused);
  expect(() => admit(["a"], (id) => id, [], { maxTokensPerAgent: 2.5 })).toThrow(refused);
});

const context = { sampling: { temperature: 1 }, random: randomFromSeed(0) };
const written = ({ ledger }: Episode, id: string): number =>
  ledger.calls.filter((call) => call.agent === id).reduce((sum, call) => sum + call.writtenTokens, 0);

test("a debate continues without the debater at its budget, and its first answer counts", async () => {
  const [wordy, brief, third] = [writer("the answer"), writer("yes"), writer("no")];
  const topology = graphTopology(debateGraph([agent("a"), agent("b"), agent("c")], { rounds: 3 }));
  const episode = await topology.run(problem, {
    models: { a: wordy.model, b: brief.model, c: third.model },
    ...context,
    limits: { maxTokensPerAgent: 12 },
  });
  // 11 tokens, then the one that is left.
  expect(wordy.allowed).toEqual([12, 1]);
  expect(brief.allowed).toEqual([12, 8, 4]);
  expect(third.allowed).toEqual([12, 9, 6]);
  expect(["a", "b", "c"].map((id) => written(episode, id))).toEqual([12, 12, 9]);
  expect(episode.utterances.map(({ agent: id, turn, round }) => [id, turn, round])).toEqual([
    ["a", 0, 0],
    ["b", 1, 0],
    ["c", 2, 0],
    ["a", 3, 1],
    ["b", 4, 1],
    ["c", 5, 1],
    ["b", 6, 2],
    ["c", 7, 2],
  ]);
  expect(episode.stopReason).toBe("token_limit");
  expect(episode.outputs).toEqual({ a: "t", b: "yes", c: "no" });
});

test("an agent at its budget makes it a limit, and each turn draws from a separate stream", async () => {
  const drawn: unknown[] = [];
  const says = (text: string) =>
    scriptedModel(({ random }) => {
      drawn.push(random);
      return text;
    });
  const topology = graphTopology(debateGraph([agent("a"), agent("b")], { rounds: 2 }));
  const models = { a: says("yes"), b: says("") };
  const episode = await topology.run(problem, { ...context, models, limits: { maxTokensPerAgent: 4 } });
  expect([episode.answer, episode.stopReason]).toEqual(["yes", "token_limit"]);
  expect(drawn).toEqual([0, 1, 2].map((turn) => context.random.split(`turn:${turn}`).state()));
});

test("an answer that its agent's limit cuts is counted as that", async () => {
  const { model } = writer("the answer");
  const topology = graphTopology(debateGraph([agent("a")], { rounds: 1 }));
  const cut = await topology.run(problem, { ...context, models: { a: model }, limits: { maxTokensPerAgent: 4 } });
  expect([cut.answer, cut.stopReason, cut.outputs]).toEqual(["the ", "token_limit", undefined]);
});

test("a program ends when an asked agent has no budget left; other agents still speak", async () => {
  const [long, short] = [writer("abcdefgh"), writer("k")];
  const line = (id: string) => ({ agent: id, prompt: { kind: "text", text: "" } as const, maxTokens: 20 });
  let rounds = 0;
  const topology = programTopology({
    name: "three rounds",
    agents: ["a", "b"],
    async play(stage) {
      for (; rounds < 3; rounds++) await stage.say(line("a"), line("b"));
    },
    answer: (turns) => turns.findLast(({ call }) => call.agent === "b")?.utterance ?? null,
  });
  const episode = await topology.run(problem, {
    models: { a: long.model, b: short.model },
    ...context,
    limits: { maxTokensPerAgent: 9 },
  });
  expect([rounds, episode.utterances.length, episode.answer, episode.stopReason]).toEqual([1, 3, "k", "token_limit"]);
});

test("a joint reply keeps its players' places when one of them has nothing left", async () => {
  const [long, short] = [writer("abcdefgh"), writer("k")];
  const players = ["a", "b"].map((id) => ({ id, maxTokens: 20 }));
  const topology = synchronousTurns(players, {
    turns: 2,
    transition: () => ["?", "?"],
    join: (texts) => texts.join("/"),
  });
  const episode = await topology.run(problem, {
    models: { a: long.model, b: short.model },
    ...context,
    limits: { maxTokensPerAgent: 9 },
  });
  expect(episode.utterances.map(({ agent: id }) => id)).toEqual(["a", "b", "b"]);
  expect([episode.answer, episode.outputs]).toEqual(["abcdefgh/k", { a: "abcdefgh", b: "k" }]);
});
