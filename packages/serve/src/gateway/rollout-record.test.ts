import type { ChatMessage, Completion } from "@laconic/core";
import { expect, test } from "vitest";
import { episodeOf, recordCall, type CallPrompt, type RecordedCall } from "./rollout-record.ts";

const completion = (promptTokens: readonly number[], tokens: readonly number[], text: string): Completion => ({
  text,
  finishReason: "stop",
  usage: { promptTokens: promptTokens.length, completionTokens: tokens.length, counted: "model" },
  model: { id: "m", weightVersion: 4 },
  trace: { promptTokens, tokens, logProbs: tokens.map(() => -1) },
});

interface Turn {
  readonly agent?: string;
  readonly messages?: readonly ChatMessage[];
  readonly prompt: readonly number[];
  readonly reply: readonly number[];
  readonly text: string;
}

function recorded(turns: readonly Turn[]): RecordedCall[] {
  let calls: RecordedCall[] = [];
  for (const { agent = "a", messages = null, prompt: tokens, reply, text } of turns) {
    const prompt: CallPrompt = { agent, messages, tokens, text: "" };
    calls = recordCall(calls, prompt, { completion: completion(tokens, reply, text), tools: [], step: 2 });
  }
  return calls;
}

const user = (content: string): ChatMessage => ({ role: "user", content });
const said = (content: string): ChatMessage => ({ role: "assistant", content });

test("a prompt that continues a reply extends it", () => {
  const calls = recorded([
    { messages: [user("q")], prompt: [1, 2], reply: [3, 0], text: "x" },
    { messages: [user("q"), said("x"), user("r")], prompt: [1, 2, 3, 0, 7], reply: [4, 0], text: "y" },
  ]);
  expect(calls.map(({ kind, parent, foreign }) => ({ kind, parent, foreign }))).toEqual([
    { kind: "first", parent: null, foreign: 0 },
    { kind: "extended", parent: 0, foreign: 0 },
  ]);
});

test("two prompts that go on from one reply are branches", () => {
  const calls = recorded([
    { prompt: [1], reply: [2], text: "x" },
    { prompt: [1, 2, 7], reply: [3], text: "y" },
    { prompt: [1, 2, 8], reply: [4], text: "z" },
  ]);
  expect(calls.map(({ kind }) => kind)).toEqual(["first", "extended", "branched"]);
});

test("a history in other tokens than were sampled says where it differs, and the episode has a note", () => {
  const calls = recorded([
    { messages: [user("q")], prompt: [1, 2], reply: [3, 4, 0], text: "th" },
    { messages: [user("q"), said("th"), user("r")], prompt: [1, 2, 9, 0, 7], reply: [5], text: "y" },
  ]);
  expect(calls[1]).toMatchObject({ kind: "rerendered", parent: 0, differsAt: 2, foreign: 0 });
  expect(episodeOf(calls, { problemId: "p", answer: undefined }).notes).toEqual(["rerendered"]);
});

test("text from outside the rollout is read, counted and never trained", () => {
  const calls = recorded([
    { messages: [user("e"), said("example"), user("q")], prompt: [8, 8, 1], reply: [3], text: "x" },
    { messages: [user("e"), said("example"), user("q"), said("edited")], prompt: [8, 8, 1, 9], reply: [4], text: "y" },
  ]);
  expect(calls.map(({ kind, foreign }) => [kind, foreign])).toEqual([
    ["first", 1],
    ["first", 2],
  ]);
});

test("another agent's text belongs to no agent", () => {
  const calls = recorded([
    { agent: "a", messages: [user("q")], prompt: [1], reply: [2], text: "x" },
    { agent: "b", messages: [user("q"), said("x")], prompt: [1, 2, 5], reply: [3], text: "y" },
  ]);
  expect(calls[1]).toMatchObject({ kind: "first", parent: null, foreign: 1 });
});

test("an episode has a turn a reply, a round an agent's reply, and its tokens in the ledger", () => {
  const calls = recorded([
    { agent: "a", prompt: [1], reply: [2, 0], text: "x" },
    { agent: "b", prompt: [1, 1, 1], reply: [0], text: "" },
    { agent: "a", prompt: [5], reply: [2, 2, 0], text: "yes" },
  ]);
  const episode = episodeOf(calls, { problemId: "p", answer: undefined });
  expect(episode.utterances.map(({ agent, turn, round, silent }) => [agent, turn, round, silent])).toEqual([
    ["a", 0, 0, false],
    ["b", 1, 0, true],
    ["a", 2, 1, false],
  ]);
  expect(episode.ledger.calls.map(({ promptTokens, writtenTokens }) => [promptTokens, writtenTokens])).toEqual([
    [1, 2],
    [3, 1],
    [1, 3],
  ]);
  expect(episode.answer).toBe("yes");
  expect(episodeOf(calls, { problemId: "p", answer: null })).toMatchObject({ answer: null, stopReason: "no_answer" });
});
