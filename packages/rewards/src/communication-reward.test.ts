import type { Grader, Problem } from "@laconic/core";
import { scriptedEpisode } from "@laconic/core/testing";
import { expect, test } from "vitest";
import {
  communicationReward,
  equation1Costs,
  measureEpisode,
  rewardTerms,
  rewardTotal,
  tokensRead,
  tokensWritten,
} from "./index.ts";
import { rewardCases } from "./testing/index.ts";

const problem: Problem = { id: "problem", question: "k + e?", gold: "15" };
const exact: Grader = (answer, { gold }) => (answer === gold ? 1 : 0);
const episode = scriptedEpisode([
  { agent: "a", text: "k is 6" },
  { agent: "b", text: "" },
  { agent: "s", text: "15", reads: [0] },
]);
const prices = { tokens: 0.01, turns: 0.1, repetition: 1 };

for (const item of rewardCases) test(item.name, () => item.run(() => communicationReward({ grader: exact, prices })));

test("Eq. 1: one minus tokens, turns and repetition, each at its price", () => {
  const terms = communicationReward({ grader: exact, prices })(episode, problem);
  // 7 + 1 + 3 tokens with end tokens, two spoken turns, no repetition
  expect(terms).toEqual({ task: 1, tokens: -0.11, turns: -0.2, repetition: 0 });
  expect(rewardTotal(terms)).toBeCloseTo(0.69, 15);
});

test("a stored measure is priced again without the episode", () => {
  const measured = measureEpisode(exact, equation1Costs, episode, problem);
  expect(measured).toEqual({ task: 1, costs: { tokens: 11, turns: 2, repetition: 0 } });
  const stored = JSON.parse(JSON.stringify(measured)) as typeof measured;
  expect(rewardTerms(stored, { tokens: 0.02 })).toEqual({ task: 1, tokens: -0.22, turns: 0, repetition: 0 });
  expect(rewardTerms(stored, prices)).toEqual(communicationReward({ grader: exact, prices })(episode, problem));
});

test("written and read tokens have separate prices, per agent too", () => {
  const costs = { "tokens/a": tokensWritten({ by: "a" }), "read/s": tokensRead({ by: "s" }) };
  const reward = communicationReward({ grader: exact, costs, prices: { "tokens/a": 0.5, "read/s": 0.25 } });
  expect(reward(episode, problem)).toEqual({ task: 1, "tokens/a": -3.5, "read/s": -1.5 });
});

test("a reward term cannot have a cost's name, and stored zeros are never -0", () => {
  const measured = { task: 1, terms: { tokens: 1 }, costs: { tokens: 3 } };
  expect(() => rewardTerms(measured, {})).toFailWith("reward_invalid");
  const terms = rewardTerms({ task: 0, costs: { tokens: 0, turns: 4 } }, { tokens: 0.1, turns: 0 });
  expect(Object.is(terms["tokens"], 0) && Object.is(terms["turns"], 0)).toBe(true);
});

test.each([
  [1, undefined, -0.3],
  [0, undefined, -0.3],
  [-1, undefined, -0.3],
  [1, 1, -0.3],
  [0.5, 1, 0],
  [0, 1, 0],
  [0.5, 0.5, -0.3],
  [0.4, 0.5, 0],
])("grade %d with costs charged from %s on: tokens %d", (task, threshold, expected) => {
  const options = threshold === undefined ? {} : { costWhenTaskAtLeast: threshold };
  expect(rewardTerms({ task, costs: { tokens: 30 } }, { tokens: 0.01 }, options)).toEqual({ task, tokens: expected });
});

test("a task that does not apply stays NaN in its term and in the total", () => {
  const reward = communicationReward({ grader: () => NaN, prices, costWhenTaskAtLeast: 1 });
  const terms = reward(episode, problem);
  expect(terms).toEqual({ task: NaN, tokens: -0.11, turns: -0.2, repetition: 0 });
  expect(rewardTotal(terms)).toBe(NaN);
});

test("a cost that does not apply makes the total NaN, unless it is free", () => {
  const measured = { task: 1, costs: { tokens: NaN } };
  expect(rewardTotal(rewardTerms(measured, { tokens: 0.1 }))).toBe(NaN);
  expect(rewardTotal(rewardTerms(measured, { tokens: 0 }))).toBe(1);
});

test.each<[unknown, string]>([
  [Infinity, "Infinity"],
  [-Infinity, "-Infinity"],
  [1e308, "1e+308"],
  [-1, "-1"],
  ["1", "1"],
  [null, "[object Null]"],
  [undefined, "[object Undefined]"],
  [Promise.resolve(1), "[object Promise]"],
])("a grader that returns %o is an invalid reward", (grade, match) => {
  const reward = communicationReward({ grader: (() => grade) as unknown as Grader, prices });
  expect(() => reward(episode, problem)).toFailWith("reward_invalid", {
    problemId: "problem",
    term: "task",
    found: match,
  });
});

test("a grader that throws is an invalid reward and keeps its cause", () => {
  const cause = new Error("no gold");
  const grader: Grader = () => {
    throw cause;
  };
  expect(() => communicationReward({ grader, prices })(episode, problem)).toThrowError(
    expect.objectContaining({ code: "reward_invalid", detail: { problemId: "problem", term: "task" }, cause }),
  );
});

test.each([Infinity, -1])("a cost of %d is an invalid reward and named", (value) => {
  const costs = { custom: { unit: "things", scope: {}, measure: () => value } };
  expect(() => measureEpisode(exact, costs, episode, problem)).toFailWith("reward_invalid", {
    problemId: "problem",
    term: "custom",
    found: String(value),
  });
});

test("an episode about another problem is refused", () => {
  expect(() => measureEpisode(exact, equation1Costs, episode, { ...problem, id: "other" })).toFailWith(
    "input_invalid",
    { problemId: "other", found: "problem" },
  );
});

test.each([
  ["prices.token", { prices: { token: 0.1 } }],
  ["prices.tokens", { prices: { tokens: -0.1 } }],
  ["prices.tokens", { prices: { tokens: NaN } }],
  ["prices.tokens", { prices: { tokens: Infinity } }],
  ["costWhenTaskAtLeast", { prices, costWhenTaskAtLeast: 0 }],
  ["costWhenTaskAtLeast", { prices, costWhenTaskAtLeast: 1.5 }],
  ["costWhenTaskAtLeast", { prices, costWhenTaskAtLeast: NaN }],
  ["costs.task", { prices: {}, costs: { task: tokensWritten() } }],
])("a bad %s is refused at once", (key, options) => {
  expect(() => communicationReward({ grader: exact, ...options })).toFailWith("config_invalid", { key });
});

test.each<[string, Record<string, unknown>, string]>([
  ["an infinite term", { task: 1, tokens: -Infinity }, "tokens"],
  ["a sum that overflows", { task: 1e308, bonus: 1e308 }, "bonus"],
  ["a text", { task: "1" }, "task"],
  ["nothing", { task: undefined }, "task"],
])("rewardTotal refuses %s", (_, terms, term) => {
  expect(() => rewardTotal(terms as Record<string, number>, "p7")).toFailWith("reward_invalid", {
    problemId: "p7",
    term,
  });
});
