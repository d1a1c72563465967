import { ledgerTotals, type Episode } from "@laconic/core";
import { scriptedEpisode, type ScriptedTurn } from "@laconic/core/testing";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { overlong, repetition, tokensRead, tokensWritten, turns, type RepetitionOptions } from "./index.ts";

// a writes 2 + end, b is silent, s reads a; then a reads s, and s reads a's first message again.
const episode = scriptedEpisode([
  { agent: "a", text: "k6" },
  { agent: "b", text: "" },
  { agent: "s", text: "which", reads: [0] },
  { agent: "a", text: "k", reads: [2] },
  { agent: "s", text: "15", reads: [0, 3] },
]);

test("tokens written count end tokens, silence included", () => {
  expect(tokensWritten().measure(episode)).toBe(3 + 1 + 6 + 2 + 3);
  expect(tokensWritten({ by: "a" }).measure(episode)).toBe(5);
  expect(tokensWritten({ by: "b" }).measure(episode)).toBe(1);
  expect(tokensWritten({ by: "nobody" }).measure(episode)).toBe(0);
});

test("tokens read count per reader and reading, without end tokens", () => {
  expect(tokensRead().measure(episode)).toBe(2 + 5 + 2 + 1);
  expect(tokensRead({ by: "s" }).measure(episode)).toBe(5);
  expect(tokensRead({ from: "a" }).measure(episode)).toBe(5);
  expect(tokensRead({ by: "a", from: "s" }).measure(episode)).toBe(5);
  expect(tokensRead({ by: "a", from: "b" }).measure(episode)).toBe(0);
});

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const agents = ["a", "b", "s"];
const conversations: fc.Arbitrary<Episode> = fc
  .array(fc.record({ agent: fc.constantFrom(...agents), text: fc.string({ maxLength: 5 }), seed: fc.nat() }))
  .map((drawn) =>
    scriptedEpisode(
      drawn.map(({ agent, text, seed }, turn): ScriptedTurn => {
        const heard = drawn.map((_, source) => source).slice(0, turn);
        return { agent, text, reads: heard.filter((source) => drawn[source]?.text && (seed >> (source % 31)) & 1) };
      }),
    ),
  );

test("scopes add up to the team, and the team to the ledger", () => {
  fc.assert(
    fc.property(conversations, (drawn) => {
      const totals = ledgerTotals(drawn.ledger);
      const perAgent = (cost: typeof tokensRead) => agents.map((by) => cost({ by }).measure(drawn));
      const perEdge = agents.flatMap((by) => agents.map((from) => tokensRead({ by, from }).measure(drawn)));
      expect(tokensWritten().measure(drawn)).toBe(totals.writtenTokens);
      expect(tokensRead().measure(drawn)).toBe(totals.readTokens);
      expect(sum(perAgent(tokensWritten))).toBe(totals.writtenTokens);
      expect(sum(perAgent(tokensRead))).toBe(totals.readTokens);
      expect(sum(perEdge)).toBe(totals.readTokens);
    }),
    { seed: 1, numRuns: 200 },
  );
});

const spoken = scriptedEpisode([
  { agent: "a", text: "k6" },
  { agent: "b", text: "" },
  { agent: "a", text: "" },
  { agent: "s", text: "15" },
]);

test("spoken turns exclude silence, all turns do not", () => {
  expect(turns().measure(spoken)).toBe(2);
  expect(turns({ count: "spoken", by: "a" }).measure(spoken)).toBe(1);
  expect(turns({ count: "all" }).measure(spoken)).toBe(4);
  expect(turns({ count: "all", by: "a" }).measure(spoken)).toBe(2);
  expect(turns({ count: "all", by: "s" }).measure(spoken)).toBe(1);
});

const writes = (...lengths: number[]) =>
  scriptedEpisode(lengths.map((writtenTokens, i) => ({ agent: `agent-${i}`, text: "x", writtenTokens })));

test.each([
  [0, 0],
  [16384, 0],
  [16385, 1 / 4096],
  [18432, 0.5],
  [20480, 1],
  [20481, 1],
  [1e6, 1],
])("DAPO's lengths: %i tokens cost %f", (tokens, expected) => {
  expect(overlong({ maxTokens: 20480, margin: 4096 }).measure(writes(tokens))).toBe(expected);
});

test("utterances add up, each on its own", () => {
  const cost = overlong({ maxTokens: 10, margin: 4 });
  expect(cost.measure(writes(6, 8, 10, 12))).toBe(0 + 0.5 + 1 + 1);
  const own = overlong({ maxTokens: 10, margin: 4, by: "agent-1" });
  expect([own.measure(writes(6, 8, 10)), own.scope, cost.scope]).toEqual([0.5, { by: "agent-1" }, {}]);
  expect(overlong({ maxTokens: 1, margin: 1 }).measure(writes(1, 0))).toBe(1);
});

const say = (...texts: string[]) => scriptedEpisode(texts.map((text, i) => ({ agent: i === 0 ? "a" : "b", text })));

test.each<[string, Partial<RepetitionOptions>, string[], number]>([
  // no no no no: "no no no" twice, the second is a repetition.
  ["within an utterance", {}, ["no no no no"], 1 / 2],
  ["nothing repeats", {}, ["k is 6 and e is 9"], 0],
  ["too short for an n-gram", {}, ["k 6"], 0],
  ["silence", {}, ["", ""], 0],
  ["words, one by one: k is 6 k is 6 -> 3 of 6", { n: 1 }, ["k is 6 k is 6"], 3 / 6],
  ["case and spacing do not matter", { n: 2 }, ["K is\n 6  k IS 6"], 2 / 5],
  ["nor do spaces at the ends", { n: 1 }, [" k is 6\n"], 0],
  ["other utterances do not matter", { n: 2 }, ["k is 6", "k is 6"], 0],
  ["unless asked: k is, is 6 again, 2 of 4", { n: 2, against: "episode" }, ["k is 6", "k is 6"], 2 / 4],
  ["pooled by n-gram, not by utterance: 2 of 5", { n: 1 }, ["a a a", "b c"], 2 / 5],
  ["only by one agent, against all", { n: 1, against: "episode", by: "b" }, ["x y", "x z"], 1 / 2],
  ["only by one agent, the repeating one not asked", { n: 1, by: "b" }, ["x x x", "x z"], 0],
  ["characters", { n: 2, of: "characters" }, ["ababa"], 2 / 4],
  ["characters are code points, not halves", { n: 1, of: "characters" }, ["😀😁"], 0],
  ["spaces are characters", { n: 1, of: "characters" }, ["a b c"], 1 / 5],
])("%s", (_, options, texts, expected) => {
  const cost = repetition({ n: 3, of: "words", against: "utterance", ...options });
  expect(cost.measure(say(...texts))).toBe(expected);
});

test("the default is the share of 3-grams of words said before in the utterance", () => {
  expect(repetition().unit).toBe("share of 3-grams of words said before in the utterance");
  expect(repetition().measure(say("one two three one two three"))).toBe(1 / 4);
});

test("the value is 1 - distinct / total within one utterance, whatever the text", () => {
  const word = fc.constantFrom("a", "b", "ab", "c");
  fc.assert(
    fc.property(fc.array(word, { maxLength: 12 }), fc.integer({ min: 1, max: 4 }), (words, n) => {
      const grams = words.slice(n - 1).map((_, i) => JSON.stringify(words.slice(i, i + n)));
      const expected = grams.length === 0 ? 0 : (grams.length - new Set(grams).size) / grams.length;
      expect(repetition({ n, of: "words", against: "utterance" }).measure(say(words.join(" ")))).toBe(expected);
    }),
    { seed: 2, numRuns: 300 },
  );
});

const repeated = { n: 3, of: "words", against: "utterance" } as const;

test.each<[string, () => unknown]>([
  ["turns.count", () => turns({ count: "words" as "all" })],
  ["overlong.maxTokens", () => overlong({ maxTokens: 0, margin: 1 })],
  ["overlong.maxTokens", () => overlong({ maxTokens: NaN, margin: 1 })],
  ["overlong.margin", () => overlong({ maxTokens: 10, margin: 0 })],
  ["overlong.margin", () => overlong({ maxTokens: 10, margin: 11 })],
  ["overlong.margin", () => overlong({ maxTokens: 10, margin: 2.5 })],
  ["repetition.n", () => repetition({ ...repeated, n: 0 })],
  ["repetition.n", () => repetition({ ...repeated, n: 1.5 })],
  ["repetition.n", () => repetition({ ...repeated, n: NaN })],
  ["repetition.of", () => repetition({ ...repeated, of: "sentences" as "words" })],
  ["repetition.against", () => repetition({ ...repeated, against: "history" as "episode" })],
])("a bad %s is refused", (key, make) => {
  expect(make).toFailWith("config_invalid", { key });
});
