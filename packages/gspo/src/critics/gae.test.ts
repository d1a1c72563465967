import { randomFromSeed, type RewardBatch } from "@laconic/core";
import { describe, expect, test } from "vitest";
import { gae, gaeEstimator, linearCritic, type Critic } from "./index.ts";
import { exampleBatch } from "../testing/estimator-cases.ts";
import { criticCases, estimatorCases } from "../testing/index.ts";

const random = randomFromSeed("gae");
const trajectories = Array.from({ length: 20 }, (_, n) => ({
  rewards: Array.from({ length: 1 + (n % 7) }, () => random.normal()),
  values: Array.from({ length: 1 + (n % 7) }, () => random.normal()),
  gamma: random.uniform(),
  lambda: random.uniform(),
}));

/** Eq. 16 as it is printed: A_t = Σ_l (γ λ)^l δ_{t+l}. */
function asPrinted(rewards: number[], values: number[], gamma: number, lambda: number): number[] {
  const delta = rewards.map((reward, t) => reward + gamma * (values[t + 1] ?? 0) - (values[t] as number));
  return delta.map((_, t) => delta.slice(t).reduce((sum, value, l) => sum + (gamma * lambda) ** l * value, 0));
}

test("advantages are those of the paper's sum, computed term by term", () => {
  for (const { rewards, values, gamma, lambda } of trajectories)
    asPrinted(rewards, values, gamma, lambda).forEach((expected, t) =>
      expect(gae(rewards, values, { gamma, lambda })[t]).toBeCloseTo(expected, 12),
    );
});

/** Knows everything: 2 for agent a, 3 for b, in every turn. */
const oracle: Critic<null> = {
  name: "oracle",
  init: () => null,
  values: ({ agents = [] }) => Float64Array.from(agents, (agent) => (agent === "a" ? 2 : 3)),
  fit: () => null,
};

test("a trajectory is one agent's turns; the last of them earns what is no turn's own", async () => {
  const batch = exampleBatch();
  const { advantages } = await gaeEstimator({ gamma: 1, lambda: 0, critic: oracle }).estimate(batch, null);
  // Of the first episode, whose grade is 1: turns 0 and 2 are a's, 1 and 3 are b's; a turn costs 0.01 times its place. The steps of turn 1
  // earned 0.02, which is taken from what turn 3 earns.
  expect(Array.from(advantages.slice(0, 4), (advantage) => advantage.toFixed(2))).toEqual([
    "0.00",
    "0.01",
    "-1.02",
    "-2.05",
  ]);
  const unscored: RewardBatch = {
    ...batch,
    rewards: batch.rewards.map((reward, row) => (row < 4 ? Number.NaN : reward)),
  };
  const match = await gaeEstimator({ gamma: 1, lambda: 0, critic: oracle }).estimate(unscored, null);
  expect(match.advantages.slice(0, 4)).toEqual(new Float64Array(4));
  expect(match.advantages.slice(4)).toEqual(advantages.slice(4));
});

describe("a linear critic", () => {
  const features = ({ agent, turn, before }: { agent: string; turn: number; before: readonly unknown[] }): number[] => {
    expect(before).toHaveLength(turn);
    return [1, agent === "a" ? 1 : 0, turn];
  };
  const critic = linearCritic({ features, ridge: 1e-9, decay: 1 });

  test("finds the weights that targets were made with, and knows nothing before", async () => {
    const batch = exampleBatch();
    const targets = Float64Array.from(batch.rewards, (_, row) => 2 + (row % 2 === 0 ? 3 : 0) - 0.5 * (row % 4));
    expect((await critic.values(batch, critic.init())).every((value) => value === 0)).toBe(true);
    const state = await critic.fit(batch, targets, critic.init());
    (await critic.values(batch, state)).forEach((value, row) => expect(value).toBeCloseTo(targets[row] as number, 6));
  });

  test("forgets by its decay", async () => {
    const batch = exampleBatch();
    const constant = (value: number) => Float64Array.from(batch.rewards, () => value);
    const half = linearCritic({ features: () => [1], ridge: 1e-9, decay: 0.5 });
    const state = await half.fit(batch, constant(4), await half.fit(batch, constant(1), half.init()));
    expect((await half.values(batch, state))[0]).toBeCloseTo((4 + 0.5 * 1) / 1.5, 8);
  });

  for (const item of criticCases) test(item.name, () => item.run(() => ({ critic, folder: "" })));

  for (const item of estimatorCases)
    test(`works as an estimator: ${item.name}`, () =>
      item.run(() => gaeEstimator({ gamma: 0.9, lambda: 0.8, critic })));

  test.each([
    [() => linearCritic({ features, decay: 2 }), /linearCritic: decay is 2, expected from 0 to 1/u],
    [() => linearCritic({ features, ridge: 0 }), /linearCritic: ridge is 0, expected above 0/u],
    [() => gaeEstimator({ gamma: 1.5, lambda: 1, critic }), /gae: gamma is 1.5, expected from 0 to 1/u],
    [
      () =>
        linearCritic({ features: ({ turn }) => Array.from({ length: 1 + turn }, () => 1) }).values(exampleBatch(), {
          gram: [],
          moment: [],
        }),
      /problem "p0", turn 1: the features are \[1,1\], expected 1 finite/u,
    ],
  ])("rejects an unusable option: %o", (make, message) => {
    expect(make).toThrow(message);
  });
});
