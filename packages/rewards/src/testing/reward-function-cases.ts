import type { Episode, Problem, RewardFunction } from "@laconic/core";
import { expectThat, scriptedEpisode, type ConformanceCase } from "@laconic/core/testing";
import { rewardTotal } from "../reward-total.ts";

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

/** What every reward must do with any finished episode. */
export const rewardFunctionCases: readonly ConformanceCase<RewardFunction>[] = [
  {
    name: "gives named terms that are finite or NaN, and a total",
    async run(create) {
      const reward = await create();
      for (const [what, episode] of Object.entries(episodes)) {
        const terms = reward(episode, problem);
        expectThat(Object.keys(terms).length > 0, `at least one term for ${what}`);
        expectThat(Math.abs(rewardTotal(terms, problem.id)) !== Infinity, `a finite total for ${what}`);
      }
    },
  },
  {
    name: "gives the same terms, in the same order, for every episode of a problem",
    async run(create) {
      const reward = await create();
      const names = Object.values(episodes).map((episode) => Object.keys(reward(episode, problem)).join());
      expectThat(new Set(names).size === 1, `one list of terms, got ${[...new Set(names)].join(" and ")}`);
    },
  },
  {
    name: "is pure: the same episode earns the same again and stays as it was",
    async run(create) {
      const reward = await create();
      for (const [what, episode] of Object.entries(episodes)) {
        const before = JSON.stringify(episode);
        const [first, second] = [reward(episode, problem), reward(episode, problem)];
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
      const [live, replayed] = [reward(right, problem), reward(stored, problem)];
      expectThat(JSON.stringify(live) === JSON.stringify(replayed), "the same terms after a round trip through JSON");
    },
  },
];
