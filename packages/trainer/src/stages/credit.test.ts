import { scriptedEpisode } from "@laconic/core/testing";
import { expect, test } from "vitest";
import { answersToScore, utteranceCredit } from "./score.ts";
import type { Rollout } from "../rollout.ts";

const problem = { id: "1", question: "?", gold: "x" };

/** Two rounds of two agents: right and wrong, then right and wrong. */
const episode = scriptedEpisode([
  { agent: "a", text: "x" },
  { agent: "b", text: "y" },
  { agent: "a", text: "x" },
  { agent: "b", text: "z" },
]);
const rounds = {
  ...episode,
  utterances: episode.utterances.map((each) => ({ ...each, round: each.turn < 2 ? 0 : 1 })),
};
const rollout: Rollout = { problem, episode: rounds, group: 0, score: null, utteranceScores: [1, 0, 1, 0] };
const facts = { reward: 0.7, costs: -0.3, rewardWithout: (agent: string) => (agent === "a" ? 0.2 : 0.7) };

test("shared credit is the episode's own", () => {
  expect(utteranceCredit({ kind: "shared" }, rollout, facts)).toBeNull();
});

test("difference: what the team would lose without the speaker", () => {
  const credit = utteranceCredit({ kind: "difference" }, rollout, facts);
  expect([...(credit?.keys() ?? [])]).toEqual([0, 1, 2, 3]);
  expect([...(credit?.values() ?? [])]).toBeAllclose([0.5, 0, 0.5, 0], { absolute: 1e-12 });
});

test.each([
  // Q is 1/2 in the second round: R + a (R - Q), R + a (Q R - (1 - Q)(1 - R)); the first round is as it is.
  ["margin", [1, 0, 1 + 0.5 * 0.5, 0 - 0.5 * 0.5]],
  ["quality", [1, 0, 1 + 0.5 * 0.5, 0 - 0.5 * 0.5]],
] as const)("%s: a grade is moved by the rounds before", (kind, expected) => {
  const credit = utteranceCredit({ kind, alpha: 0.5 }, rollout, facts);
  expect([...(credit?.values() ?? [])]).toBeAllclose(
    expected.map((value) => value - 0.3),
    { absolute: 1e-12 },
  );
});

test("margin and quality part where the round before was all right", () => {
  const right = {
    ...rollout,
    utteranceScores: [1, 1, 1, 0],
    episode: { ...rounds, utterances: rounds.utterances.map((each) => ({ ...each, text: each.turn < 3 ? "x" : "z" })) },
  };
  const last = (kind: "margin" | "quality"): number | undefined =>
    utteranceCredit({ kind, alpha: 0.5 }, right, { ...facts, costs: 0 })?.get(3);
  expect(last("margin")).toBeCloseTo(-0.5, 12); // 0 + 0.5 (0 - 1)
  expect(last("quality")).toBeCloseTo(0, 12); // 0 + 0.5 (0 - 0)
});

test("an utterance alone is the answer, and of several outputs the only one; silence is none", () => {
  const joint = scriptedEpisode([
    { agent: "a", text: "x" },
    { agent: "b", text: "" },
  ]);
  const margin = { kind: "margin", alpha: 0.5 } as const;
  const asked = answersToScore(margin, { ...joint, outputs: { a: "x", b: "" } });
  expect(asked.map(({ answer, outputs }) => [answer, outputs])).toEqual([
    ["x", { a: "x" }],
    [null, {}],
  ]);
  expect(answersToScore(margin, joint).map((each) => [each.answer, "outputs" in each])).toEqual([
    ["x", false],
    [null, false],
  ]);
  expect(answersToScore({ kind: "shared" }, joint)).toEqual([]);
});
