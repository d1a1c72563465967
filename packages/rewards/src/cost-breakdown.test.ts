import type { Episode, TokenCount } from "@laconic/core";
import { chargesOf, costBreakdown, meanBreakdown } from "@laconic/core/ledger";
import { scriptedEpisode, type ScriptedTurn } from "@laconic/core/testing";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { equation1Costs, measureCosts, rewardTerms, tokensRead, tokensWritten, type Costs } from "./index.ts";

const agents = ["a", "b", "c", "s", "constructor"];

/** Any graph: who reads which earlier message is drawn, so messages have none, one or several readers, and are read again. */
const episodes: fc.Arbitrary<Episode> = fc
  .array(
    fc.record({
      agent: fc.constantFrom(...agents),
      text: fc.oneof(fc.constant(""), fc.string({ maxLength: 12 })),
      beyond: fc.integer({ min: 0, max: 3 }),
      heard: fc.nat({ max: 2 ** 16 }),
    }),
    { maxLength: 14 },
  )
  .map((drawn) =>
    scriptedEpisode(
      drawn.map(({ agent, text, beyond, heard }, turn): ScriptedTurn => {
        const reads = drawn.map((_, i) => i).slice(0, turn);
        return {
          agent,
          text,
          writtenTokens: text.length + beyond + (text === "" ? 0 : 1),
          reads: reads.filter((i) => drawn[i]?.text !== "" && (heard >> i) & 1),
        };
      }),
    ),
  );

const counts: ReadonlyMap<string, TokenCount> = new Map([
  ["tokens", { kind: "tokens-written" }],
  ["tokens/a", { kind: "tokens-written", by: "a" }],
  ["read/s", { kind: "tokens-read", by: "s" }],
  ["read/c->b", { kind: "tokens-read", by: "b", from: "c" }],
  ["toString", { kind: "tokens-read" }],
]);
const costs: Costs = {
  ...equation1Costs,
  "tokens/a": tokensWritten({ by: "a" }),
  "read/s": tokensRead({ by: "s" }),
  "read/c->b": tokensRead({ by: "b", from: "c" }),
  toString: tokensRead(),
  "capital letters": {
    unit: "capital letters",
    scope: {},
    measure: ({ utterances }) => utterances.reduce((sum, { text }) => sum + text.replaceAll(/[^A-Z]/gu, "").length, 0),
  },
};
const prices = fc.record(
  Object.fromEntries(
    Object.keys(costs).map((name) => [
      name,
      fc.oneof(fc.constant(0), fc.double({ min: 0, max: 2, noNaN: true }), fc.constantFrom(1e-9, 1e6)),
    ]),
  ),
);
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

function charged(episode: Episode, lambdas: Readonly<Record<string, number>>, task: number, from?: number) {
  const units = measureCosts(costs, episode);
  const options = from === undefined ? {} : { costWhenTaskAtLeast: from };
  const terms = rewardTerms({ task, costs: units }, lambdas, options);
  return { units, terms, breakdown: costBreakdown(episode, chargesOf(units, terms, counts)) };
}

test("edges, end tokens, unread turns and the rest add up to the cost in the reward", () => {
  fc.assert(
    fc.property(
      episodes,
      prices,
      fc.constantFrom(0, 1),
      fc.constantFrom(undefined, 1),
      (episode, lambdas, task, from) => {
        const { terms, breakdown } = charged(episode, lambdas, task, from);
        const cost = -sum(Object.keys(costs).map((name) => terms[name] as number));
        const { edges, end, unread, rest, total } = meanBreakdown([breakdown]);
        const parts = sum([...edges.map((edge) => edge.cost), end, unread, ...Object.values(rest)]);
        for (const found of [parts, total])
          expect(Math.abs(found - cost)).toBeLessThanOrEqual(1e-12 * Math.max(1, cost));
        expect(Object.keys(rest).filter((name) => counts.has(name))).toEqual([]);
        expect(total > 0 && from === 1 && task === 0).toBe(false);
      },
    ),
  );
});

test("an edge costs its share of the message and what its reader pays, end tokens what their writer pays", () => {
  fc.assert(
    fc.property(episodes, prices, (episode, lambdas) => {
      const { breakdown } = charged(episode, lambdas, 1);
      const price = (name: string): number => lambdas[name] as number;
      const { calls } = episode.ledger;
      expect(breakdown.turns).toHaveLength(calls.length);
      for (const { turn, agent, readers, end, unread } of breakdown.turns) {
        const written = price("tokens") + (agent === "a" ? price("tokens/a") : 0);
        const { writtenTokens } = calls[turn] as (typeof calls)[number];
        const readings = (to: string): number =>
          calls.filter((call) => call.agent === to).flatMap(({ reads }) => reads.filter((read) => read.turn === turn))
            .length;
        for (const { to, tokens, cost } of readers) {
          const reading =
            price("toString") +
            (to === "s" ? price("read/s") : 0) +
            (to === "b" && agent === "c" ? price("read/c->b") : 0);
          const message = writtenTokens - 1;
          expect(tokens).toBe(message * readings(to));
          const expected = (message * written) / readers.length + tokens * reading;
          expect(Math.abs(cost - expected)).toBeLessThanOrEqual(1e-12 * Math.max(1, expected));
        }
        const silent = episode.utterances[turn]?.silent === true;
        expect([end.tokens, unread.tokens]).toEqual(
          readers.length > 0 ? [1, 0] : silent ? [writtenTokens, 0] : [0, writtenTokens],
        );
        for (const each of [end, unread])
          expect(Math.abs(each.cost - each.tokens * written)).toBeLessThanOrEqual(1e-12 * Math.max(1, each.cost));
      }
    }),
  );
});

test("a broadcast of four tokens and its end token is charged once, and split over its readers", () => {
  const episode = scriptedEpisode([
    { agent: "a", text: "k is" },
    { agent: "b", text: "", reads: [0] },
    { agent: "s", text: "15", reads: [0] },
  ]);
  const { breakdown } = charged(episode, { tokens: 0.001 }, 1);
  const { edges, end, unread, rest, total } = meanBreakdown([breakdown]);
  expect(total).toBeCloseTo(0.009, 15);
  expect(edges).toEqual([
    { from: "a", to: "b", tokens: 4, cost: expect.closeTo(0.002, 15) },
    { from: "a", to: "s", tokens: 4, cost: expect.closeTo(0.002, 15) },
  ]);
  expect([end, unread, rest]).toEqual([expect.closeTo(0.002, 15), expect.closeTo(0.003, 15), {}]);
});

test("a cost of a user's own that is called tokens counts no tokens, and is in the rest", () => {
  const episode = scriptedEpisode([
    { agent: "a", text: "k6" },
    { agent: "s", text: "15", reads: [0] },
  ]);
  const charges = chargesOf({ tokens: 2 }, { task: 1, tokens: -0.4 }, counts);
  expect(costBreakdown(episode, charges)).toMatchObject({ rest: { tokens: 0.4 }, total: 0.4 });
  const notApplicable = chargesOf({ tokens: null, turns: 2 }, { tokens: null, turns: -1 }, counts);
  expect(costBreakdown(episode, notApplicable)).toMatchObject({ rest: { turns: 1 }, total: 1 });
});

test("agents who pay for themselves pay for what they write and read", () => {
  const episode = scriptedEpisode([
    { agent: "a", text: "k6" },
    { agent: "s", text: "15", reads: [0] },
  ]);
  const own = (agent: string, tokens: TokenCount, units: number, cost: number) => ({
    name: "tokens",
    tokens,
    units,
    cost,
    agents: new Set([agent]),
  });
  const { edges, end, unread, total } = meanBreakdown([
    costBreakdown(episode, [
      own("a", { kind: "tokens-written" }, 3, 0.3),
      own("s", { kind: "tokens-written" }, 3, 0.03),
      own("s", { kind: "tokens-read" }, 2, 5),
    ]),
  ]);
  expect(edges).toEqual([{ from: "a", to: "s", tokens: 2, cost: expect.closeTo(5.2, 12) }]);
  expect([end, unread, total]).toEqual([expect.closeTo(0.1, 12), expect.closeTo(0.03, 12), expect.closeTo(5.33, 12)]);
});
