import type { EpisodeReward, GroupReward, Reward } from "@laconic/core";
import { describe, expect, test } from "vitest";
import { addRewards, graded, readReward, termsOf } from "./index.ts";
import { groupRewardCases, rewardCases } from "./testing/index.ts";

test.for<[unknown, number, unknown]>([
  [{ task: 1 }, 1, { team: { task: 1 }, score: 1 }],
  [{ task: 0.5, style: -3 }, 0.5, { team: { task: 0.5, style: -3 }, score: 0.5 }],
  [{ style: 2, form: -1 }, 1, { team: { style: 2, form: -1 }, score: 1 }],
  [{ team: { task: 0 }, agents: { a: { win: 1 } } }, 0, { team: { task: 0 }, agents: { a: { win: 1 } }, score: 0 }],
  [{ team: {}, agents: { a: { win: 1 }, b: { win: -1 } }, score: 0.25 }, 0.25, expect.objectContaining({ team: {} })],
  [{ team: {}, score: true }, 1, { team: {}, score: 1 }],
  [0.5, 0.5, { team: { task: 0.5 }, score: 0.5 }],
  [true, 1, { team: { task: 1 }, score: 1 }],
  [{ task: false, form: true }, 0, { team: { task: 0, form: 1 }, score: 0 }],
  [{ team: { task: 1 }, turns: { 2: { tool: true } } }, 1, expect.objectContaining({ turns: { 2: { tool: 1 } } })],
])("%j has the score %d", ([given, value, reward]) => {
  expect(readReward(given)).toEqual({ status: "scored", value, reward });
});

test.for<[unknown, string]>([
  ["1", "expected terms such as"],
  [2, "term task: got 2"],
  [{ team: {}, turns: 1 }, "turns: got 1"],
  [{ team: {}, turns: { 2: { tool: "x" } } }, 'turn 2, term tool: got "x"'],
  [null, "got null"],
  [Promise.resolve({ task: 1 }), "got a Promise"],
  [{ task: 2 }, "term task: got 2, expected a number from 0 to 1"],
  [{ task: Number.NaN }, "term task: got NaN"],
  [{ style: Infinity }, "term style: got Infinity"],
  [{ style: 1e200 }, "expected a finite number"],
  [{ style: "5" }, 'term style: got "5"'],
  [{ task: "1" }, 'term task: got "1"'],
  [{ team: {}, agents: [] }, "agents: got a list"],
  [{ team: {}, agents: { a: 1 } }, "agent a: got 1"],
  [{ team: {}, agents: { a: { win: Number.NaN } } }, "agent a, term win: got NaN"],
  [{ team: { task: 1 }, score: "x" }, 'score: got "x"'],
  [{ team: { task: 1 }, score: Number.NaN }, "score: got NaN"],
])("%j is invalid: %s", ([given, reason]) => {
  expect(readReward(given)).toEqual({ status: "invalid", reason: expect.stringContaining(reason) as string });
});

test("undecided says why", () => {
  expect(readReward({ undecided: "no memory" })).toEqual({ status: "undecided", reason: "no memory" });
});

test("an agent's terms are the team's and its own", () => {
  const reward = { team: { task: 1, form: 2 }, agents: { a: { form: 1, win: -1 } } };
  expect(termsOf(reward)).toEqual({ task: 1, form: 2 });
  expect(termsOf(reward, "a")).toEqual({ task: 1, form: 3, win: -1 });
  expect(termsOf(reward, "b")).toBe(reward.team);
  expect(termsOf(reward, "toString")).toBe(reward.team);
  expect(termsOf({ team: reward.team }, "a")).toBe(reward.team);
});

const rewards: Readonly<Record<string, Reward>> = {
  "a grader": graded((answer, { gold }) => (answer === gold ? 1 : 0)),
  "agents with terms of their own, later": async ({ answer }, { gold }) => {
    const win = answer === gold ? 1 : -1;
    return { team: {}, agents: { a: { win }, b: { win: -win } }, score: win === 1 ? 1 : 0 };
  },
};

describe.each(Object.entries(rewards))("%s", (_, reward) => {
  for (const item of rewardCases) test(item.name, () => item.run(() => reward));
});

test("each fault is caught by its case", async () => {
  let asked = 0;
  const faults: readonly (readonly [Reward, RegExp])[] = [
    [() => ({ task: Number.NaN }), /a reward for a right answer, got/u],
    [({ answer }) => (answer === "15" ? { task: 1, bonus: 1 } : { task: 0 }), /one list of terms, got/u],
    [() => ({ style: asked++ }), /the same terms twice/u],
  ];
  for (const [i, [fault, message]] of faults.entries())
    await expect(rewardCases[i]?.run(() => fault)).rejects.toThrow(message);
});

test("measures are kept and not summed; what is no number is refused by name", () => {
  const outcome = readReward({ team: { task: 0.5 }, measures: { "scheme/fallback": 1, length: Number.NaN } });
  expect(outcome).toEqual({
    status: "scored",
    value: 0.5,
    reward: { team: { task: 0.5 }, score: 0.5, measures: { "scheme/fallback": 1, length: Number.NaN } },
  });
  for (const measures of [{ seen: "yes" }, { seen: Infinity }])
    expect(readReward({ team: { task: 1 }, measures })).toMatchObject({
      status: "invalid",
      reason: expect.stringMatching(/^measure seen: /u) as unknown,
    });
  expect(readReward({ team: { task: 1 }, measures: [] })).toMatchObject({ status: "invalid" });
});

test("a reward with more terms is the sum of both, agent by agent and turn by turn", () => {
  const first = { team: { task: 1 }, agents: { a: { win: 1 } }, turns: { 0: { tool: 1 } }, score: 1 };
  const more = { team: { rank: -0.5 }, agents: { a: { win: 2 }, b: { win: 1 } }, turns: { 0: { tool: 2 } }, score: 9 };
  expect(addRewards(first, more)).toEqual({
    team: { task: 1, rank: -0.5 },
    agents: { a: { win: 3 }, b: { win: 1 } },
    turns: { 0: { tool: 3 } },
    score: 1,
  });
  const novel: EpisodeReward = { team: { rank: 1 }, measures: { seen: 2 } };
  expect(addRewards(first, novel)).toEqual({ ...first, team: { task: 1, rank: 1 }, measures: novel.measures });
  const { score: _, ...unscored } = more; // the score is the first's, which has none
  expect(addRewards(novel, { ...more, team: {} })).toEqual({ ...unscored, ...novel });
  expect(() => addRewards(first, { team: { task: 1 } })).toThrow(/"task" is a term of the reward and of the group/u);
});

const novelty: GroupReward = (episodes) =>
  episodes.map(({ answer }) => ({ novel: episodes.filter((each) => each.answer === answer).length === 1 ? 0.5 : 0 }));

describe("a reward of groups", () => {
  for (const item of groupRewardCases) test(item.name, () => item.run(() => novelty));

  test("each fault is caught by its case", async () => {
    let asked = 0;
    const faults: readonly (readonly [GroupReward, RegExp])[] = [
      [() => [{ novel: 1 }], /2 rewards, got 1/u],
      [(episodes) => episodes.map(() => ({ novel: asked++ })), /the same terms twice/u],
      [(episodes) => episodes.map((_, place) => ({ novel: place })), /the same terms in another order/u],
    ];
    for (const [i, [fault, message]] of faults.entries())
      await expect(groupRewardCases[i]?.run(() => fault)).rejects.toThrow(message);
  });
});
