import type { Episode, Problem, Reward } from "@laconic/core";
import { expectThat, scriptedEpisode, type ConformanceCase } from "@laconic/core/testing";
import { readReward, termsOf, type RewardOutcome } from "../read-reward.ts";
import { rewardTotal } from "../reward-terms.ts";

const problem: Problem = { id: "problem", question: "What is 6 + 9?", gold: "15" };
const right = scriptedEpisode([
  { agent: "a", text: "k is 6" },
  { agent: "b", text: "" },
  { agent: "s", text: "15", reads: [0] },
]);
const episodes: Readonly<Record<string, Episode>> = {
  "a right answer": right,
  "a wrong answer": { ...right, answer: "16" },
  "no answer": { ...right, answer: null, stopReason: "no_answer" },
  "an empty conversation": scriptedEpisode([]),
};

async function read(reward: Reward, episode: Episode): Promise<RewardOutcome> {
  return readReward(await reward(episode, problem, { signal: new AbortController().signal }));
}

function namesOf(outcome: RewardOutcome): string {
  if (outcome.status !== "scored") return outcome.status;
  const { team, agents = {} } = outcome.reward;
  return JSON.stringify([Object.keys(team), ...Object.entries(agents).map(([id, terms]) => [id, Object.keys(terms)])]);
}

/** Conformance cases of rewards. */
export const rewardCases: readonly ConformanceCase<Reward>[] = [
  {
    name: "gives named terms that a trainer can read, and a finite total",
    async run(create) {
      const reward = await create();
      for (const [what, episode] of Object.entries(episodes)) {
        const outcome = await read(reward, episode);
        expectThat(outcome.status === "scored", `a reward for ${what}, got ${JSON.stringify(outcome)}`);
        if (outcome.status !== "scored") continue;
        const { agents = {} } = outcome.reward;
        expectThat(namesOf(outcome) !== "[[]]", `at least one term for ${what}`);
        for (const agent of [undefined, ...Object.keys(agents)])
          expectThat(Number.isFinite(rewardTotal(termsOf(outcome.reward, agent))), `a finite total for ${what}`);
      }
    },
  },
  {
    name: "gives the same terms, in the same order, for every episode of a problem",
    async run(create) {
      const reward = await create();
      const names = await Promise.all(Object.values(episodes).map(async (value) => namesOf(await read(reward, value))));
      expectThat(new Set(names).size === 1, `one list of terms, got ${[...new Set(names)].join(" and ")}`);
    },
  },
  {
    name: "is pure: an episode earns the same again and stays unchanged",
    async run(create) {
      const reward = await create();
      for (const [what, episode] of Object.entries(episodes)) {
        const before = JSON.stringify(episode);
        const [first, second] = [await read(reward, episode), await read(reward, episode)];
        expectThat(JSON.stringify(first) === JSON.stringify(second), `the same terms twice for ${what}`);
        expectThat(JSON.stringify(episode) === before, `${what} unchanged`);
      }
    },
  },
  {
    name: "scores a stored episode like the live one",
    async run(create) {
      const reward = await create();
      const stored = JSON.parse(JSON.stringify(right)) as Episode;
      const [live, replayed] = [await read(reward, right), await read(reward, stored)];
      expectThat(JSON.stringify(live) === JSON.stringify(replayed), "the same terms after a round trip through JSON");
    },
  },
];
