import { ledgerTotals, type Episode } from "@laconic/core";
import { scriptedEpisode, type ScriptedTurn } from "@laconic/core/testing";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { tokensRead, tokensWritten } from "./index.ts";

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
