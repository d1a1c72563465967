import type { Episode, GroupReward, Problem } from "@laconic/core";
import { expectThat, scriptedEpisode, type ConformanceCase } from "@laconic/core/testing";
import { readReward, type RewardOutcome } from "../read-reward.ts";

const problem: Problem = { id: "problem", question: "What is 6 + 9?", gold: "15" };
const episodes: readonly Episode[] = ["15", "16", "it is 15", ""].map((text) =>
  scriptedEpisode([
    { agent: "a", text: "k is 6" },
    { agent: "s", text, reads: [0] },
  ]),
);

async function read(reward: GroupReward, of: readonly Episode[]): Promise<RewardOutcome[]> {
  const input: unknown = await reward(of, problem, { signal: new AbortController().signal });
  expectThat(Array.isArray(input), "a list");
  return input.map((item) => readReward(item));
}

/** Conformance cases of group rewards. */
export const groupRewardCases: readonly ConformanceCase<GroupReward>[] = [
  {
    name: "gives a reward for each episode, of one as of many",
    async run(create) {
      const reward = await create();
      for (let count = 1; count <= episodes.length; count++) {
        const outcomes = await read(reward, episodes.slice(0, count));
        expectThat(outcomes.length === count, `${count} rewards, got ${outcomes.length}`);
        const bad = outcomes.find(({ status }) => status !== "scored");
        expectThat(bad === undefined, `terms for each, got ${JSON.stringify(bad)}`);
      }
    },
  },
  {
    name: "is pure: episodes earn the same again and stay unchanged",
    async run(create) {
      const reward = await create();
      const before = JSON.stringify(episodes);
      const [first, second] = [await read(reward, episodes), await read(reward, episodes)];
      expectThat(JSON.stringify(first) === JSON.stringify(second), "the same terms twice");
      expectThat(JSON.stringify(episodes) === before, "the episodes unchanged");
    },
  },
  {
    name: "gives an episode the same reward in any order",
    async run(create) {
      const reward = await create();
      const [there, back] = [await read(reward, episodes), await read(reward, episodes.toReversed())];
      expectThat(JSON.stringify(there) === JSON.stringify(back.toReversed()), "the same terms in another order");
    },
  },
];
