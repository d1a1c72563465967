import { expect, test } from "vitest";
import { ledgerTotals, type Ledger } from "../index.ts";

const ledger: Ledger = {
  calls: [
    { turn: 0, round: 0, agent: "a", promptTokens: 10, writtenTokens: 4, reads: [] },
    { turn: 1, round: 0, agent: "b", promptTokens: 11, writtenTokens: 1, reads: [] },
    { turn: 2, round: 0, agent: "s", promptTokens: 20, writtenTokens: 6, reads: [{ from: "a", turn: 0, tokens: 3 }] },
    { turn: 3, round: 1, agent: "a", promptTokens: 21, writtenTokens: 2, reads: [{ from: "s", turn: 2, tokens: 5 }] },
    {
      turn: 4,
      round: 1,
      agent: "s",
      promptTokens: 30,
      writtenTokens: 3,
      reads: [
        { from: "a", turn: 0, tokens: 3 }, // read again: counts again
        { from: "a", turn: 3, tokens: 1 },
      ],
    },
  ],
};

test("totals add up by agent and by edge", () => {
  expect(ledgerTotals(ledger)).toEqual({
    calls: 5,
    promptTokens: 92,
    writtenTokens: 16,
    readTokens: 12,
    writtenByAgent: { a: 6, b: 1, s: 9 },
    readByAgent: { a: 5, b: 0, s: 7 },
    readByEdge: { "a->s": 7, "s->a": 5 },
  });
});

test("an agent may be called like a property that every object has", () => {
  const call = { turn: 0, round: 0, agent: "constructor", promptTokens: 1, writtenTokens: 2, reads: [] };
  expect(ledgerTotals({ calls: [call] }).writtenByAgent["constructor"]).toBe(2);
});
