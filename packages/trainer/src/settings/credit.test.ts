import { randomFromSeed, type Episode } from "@laconic/core";
import { scriptedEpisode } from "@laconic/core/testing";
import { expect, test } from "vitest";
import { credits, type Credit } from "./credit.ts";

const agents = Array.from("abc");
const episode: Episode = scriptedEpisode([
  { agent: "a", text: "x" },
  { agent: "b", text: "y" },
  { agent: "c", text: "" },
  { agent: "a", text: "z" },
]);

/** Two are needed together (0.6), c is harmful (-0.2), the frozen solver alone has 0.3. */
function rewardOf(silent: readonly string[]): number {
  const speaks = (agent: string): boolean => !silent.includes(agent);
  return 0.3 + (speaks("a") && speaks("b") ? 0.6 : 0) - (speaks("c") ? 0.2 : 0);
}

function creditsOf(credit: Credit, team = agents, rewards = rewardOf) {
  const plan = credit({ episode, agents: team, random: randomFromSeed(3) });
  const replays = plan.changes.map(({ silent = [] }) => ({ episode, reward: rewards(silent) }));
  return { plan, byTurn: [...plan.credits(rewards([]), replays)] };
}

function shares(credit: Credit, rewards = rewardOf): number[] {
  const { byTurn } = creditsOf(credit, agents, rewards);
  expect(byTurn.map(([turn]) => turn)).toEqual([0, 1, 2, 3]);
  expect(byTurn[3]?.[1]).toBe(byTurn[0]?.[1]);
  return byTurn.slice(0, 3).map(([, value]) => value);
}

test("Shapley values divide a joint gain; difference rewards count it for each agent", () => {
  expect(shares(credits.difference)).toEqual([0.6, 0.6, -0.2].map((value) => expect.closeTo(value, 12)));
  expect(shares(credits.shapley(null))).toEqual([0.3, 0.3, -0.2].map((value) => expect.closeTo(value, 12)));
  expect(creditsOf(credits.shapley(null)).plan.changes).toHaveLength(7);
});

test("Shapley values follow the formula over coalitions in random games", () => {
  for (let seed = 0; seed < 20; seed++) {
    const game = (silent: readonly string[]): number =>
      randomFromSeed(`${seed}/${silent.toSorted().join("-")}`).uniform();
    const expected = agents.map((agent) => {
      const [x, y] = agents.filter((other) => other !== agent) as [string, string];
      const gain = (silent: string[]): number => game(silent) - game([...silent, agent]);
      return gain([]) / 3 + gain([x]) / 6 + gain([y]) / 6 + gain([x, y]) / 3;
    });
    expect(shares(credits.shapley(null), game)).toEqual(expected.map((value) => expect.closeTo(value, 12)));
  }
});

test("sampled Shapley values keep the sum and replay each coalition once", () => {
  const few = shares(credits.shapley(2));
  expect(few.reduce((sum, value) => sum + value, 0)).toBeCloseTo(rewardOf([]) - rewardOf(agents), 12);
  expect(creditsOf(credits.shapley(400)).plan.changes).toHaveLength(7);
  expect(shares(credits.shapley(400))[0]).toBeCloseTo(0.3, 1);
});

test("a message rule replays without one message; silent messages get 0", () => {
  const { changes, credits: creditsFrom } = credits.message({ episode, agents: ["a", "c"], random: randomFromSeed(0) });
  expect(changes).toEqual([{ messages: { 0: "" } }, { messages: { 3: "" } }]);
  const replays = [0.25, 1].map((reward) => ({ episode, reward }));
  expect([...creditsFrom(0.75, replays)]).toEqual([
    [0, 0.5],
    [2, 0],
    [3, -0.25],
  ]);
});

test("exact Shapley values of seven agents are refused", () => {
  expect(() => creditsOf(credits.shapley(null), Array.from("abcdefg"))).toFailWith("input_invalid");
  expect(creditsOf(credits.shapley(4), Array.from("abcdefg")).plan.changes.length).toBeLessThanOrEqual(28);
});
