import { scriptedEpisode } from "@laconic/core/testing";
import { readReward } from "@laconic/rewards";
import { expect, test } from "vitest";
import { score, type Pricing } from "./score.ts";

const problem = { id: "1", question: "?", gold: "x" };
const episode = scriptedEpisode([
  { agent: "a", text: "x" },
  { agent: "b", text: "y" },
  { agent: "a", text: "x" },
  { agent: "b", text: "z" },
]);
const rollout = { problem, episode, group: 0, score: readReward({ task: 0.75 }) };

test.each([
  ["shared credit is the episode's own", "shared", null],
  // Without b the reward is the same, and so it is where no episode without an agent was played.
  ["difference: what the team would lose without the speaker", "difference", [0.5, 0, 0.5, 0]],
] as const)("%s", (_, kind, expected) => {
  const pricing: Pricing = { costs: {}, prices: {}, credit: { kind } };
  const without = { a: { episode, score: readReward({ task: 0.25 }) } };
  const [scored] = score([{ ...rollout, without }], pricing);
  expect(scored?.credit && [...scored.credit.values()]).toEqual(expected);
  expect(scored?.credit && [...scored.credit.keys()]).toEqual(expected && [0, 1, 2, 3]);
});
