import { describe, expect, test } from "vitest";
import type { z } from "zod";
import { type Episode, type Utterance } from "../index.ts";
import { episodeSchema, ledgerSchema, problemSchema, utteranceSchema } from "./stored.ts";
import { scriptedEpisode } from "../testing/index.ts";

const problem = { id: "p1", question: "k + e?", gold: "15", views: { a: "k = 6" } };
const traced: Utterance = {
  ...(scriptedEpisode([{ agent: "a", text: "k6" }]).utterances[0] as Utterance),
  trace: { promptTokens: [1, 2], tokens: [3, 4, 5], logProbs: [-0.1, 0, -2.5] },
};
const episode: Episode = scriptedEpisode([
  { agent: "a", text: "k6" },
  { agent: "b", text: "" },
  { agent: "s", text: "15", reads: [0] },
]);
const { trace: _, ...untraced } = traced;

const accepted: readonly [string, z.ZodType, unknown][] = [
  ["a problem", problemSchema, problem],
  ["a problem without views", problemSchema, { id: "p1", question: "", gold: "" }],
  ["an utterance with a trace", utteranceSchema, traced],
  ["an utterance without one", utteranceSchema, untraced],
  ["a log-prob rounded to just above 0", utteranceSchema, changeTrace({ logProbs: [1e-7, 0, 0] })],
  ["an episode", episodeSchema, episode],
  ["an episode that nobody answered", episodeSchema, { ...episode, answer: null, stopReason: "no_answer" }],
  ["an episode with notes", episodeSchema, { ...episode, notes: ["capped"] }],
  ["an episode that two answered", episodeSchema, { ...episode, outputs: { a: "k6", b: "" } }],
  ["a ledger", ledgerSchema, episode.ledger],
];

test.each(accepted)("%s is accepted unchanged, through JSON", (_name, schema, value) => {
  expect(schema.parse(JSON.parse(JSON.stringify(value)))).toEqual(value);
});

function changeTrace(change: object): object {
  return { ...traced, trace: { ...traced.trace, ...change } };
}
function changeCall(change: object): object {
  const [first, ...rest] = episode.ledger.calls;
  return { ...episode, ledger: { calls: [{ ...first, ...change }, ...rest] } };
}

const rejected: readonly [string, string, z.ZodType, unknown][] = [
  ["an empty id", "id", problemSchema, { ...problem, id: "" }],
  ["no gold", "gold", problemSchema, { id: "p1", question: "" }],
  ["an unknown key", "", problemSchema, { ...problem, hint: "six" }],
  ["views: undefined", "views", problemSchema, { ...problem, views: undefined }],
  ["a view that is no text", "views.a", problemSchema, { ...problem, views: { a: 6 } }],
  ["a negative turn", "turn", utteranceSchema, { ...traced, turn: -1 }],
  ["a broken token count", "writtenTokens", utteranceSchema, { ...traced, writtenTokens: 2.5 }],
  ["a NaN token count", "writtenTokens", utteranceSchema, { ...traced, writtenTokens: NaN }],
  ["an unknown finish reason", "finishReason", utteranceSchema, { ...traced, finishReason: "tired" }],
  ["no model version", "model.weightVersion", utteranceSchema, { ...traced, model: { id: "m" } }],
  ["a positive log-prob", "trace.logProbs.1", utteranceSchema, changeTrace({ logProbs: [0, 0.1, 0] })],
  ["a NaN log-prob", "trace.logProbs.0", utteranceSchema, changeTrace({ logProbs: [NaN, 0, 0] })],
  ["a log-prob of -Infinity", "trace.logProbs.2", utteranceSchema, changeTrace({ logProbs: [0, 0, -Infinity] })],
  ["a null log-prob", "trace.logProbs.0", utteranceSchema, changeTrace({ logProbs: [null, 0, 0] })],
  ["fewer log-probs than tokens", "trace", utteranceSchema, changeTrace({ logProbs: [0, 0] })],
  ["a negative token id", "trace.tokens.0", utteranceSchema, changeTrace({ tokens: [-1, 4, 5] })],
  ["an unknown stop reason", "stopReason", episodeSchema, { ...episode, stopReason: "bored" }],
  ["no answer key", "answer", episodeSchema, { ...episode, answer: undefined }],
  ["a note that is no text", "notes.0", episodeSchema, { ...episode, notes: [1] }],
  ["an output that is no text", "outputs.a", episodeSchema, { ...episode, outputs: { a: null } }],
  ["a damaged utterance", "utterances.1.silent", episodeSchema, withUtterance(1, { silent: "yes" })],
  ["a damaged call", "ledger.calls.0.promptTokens", episodeSchema, changeCall({ promptTokens: -3 })],
  ["a damaged read", "ledger.calls.0.reads.0.from", episodeSchema, changeCall({ reads: [{ turn: 0, tokens: 1 }] })],
];

function withUtterance(index: number, change: object): object {
  return {
    ...episode,
    utterances: episode.utterances.map((utterance, i) => (i === index ? { ...utterance, ...change } : utterance)),
  };
}

describe("an invalid value is rejected at its path", () => {
  test.each(rejected)("%s: %s", (_name, path, schema, value) => {
    const issues = schema.safeParse(value).error?.issues ?? [];
    expect(issues.map((issue) => issue.path.join("."))).toEqual([path]);
  });
});
