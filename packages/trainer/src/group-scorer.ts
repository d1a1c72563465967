import { shownValue, type AgentId, type Episode, type GroupReward, type Learned } from "@laconic/core";
import { checkValue } from "@laconic/core/checks";
import { addRewards, readReward, timerOf, withDeadline, type RewardOutcome } from "@laconic/rewards";
import { checkPlaces } from "./scorer.ts";
import type { Rollout } from "./rollout.ts";

export type GroupScorer = (
  rollouts: readonly Rollout[],
  place: string,
  learned: Learned,
) => Promise<readonly Rollout[]>;

type Judged = Rollout & { readonly score: Extract<RewardOutcome, { status: "scored" }> };

/**
 * A group reward that may take its time, fail or hang, as one that never does: where it fails, its group has no score.
 * @param agents - of the team; a reward for anybody else is refused
 * @param seconds - after which one that says nothing has failed, counted while no other one is said either
 */
export function groupScorer(
  reward: GroupReward,
  { seconds }: { readonly seconds: number },
  agents: readonly AgentId[],
): GroupScorer {
  const ask = withDeadline({ seconds, timer: timerOf(globalThis) });
  return async (rollouts, place, learned) => {
    const found = [...rollouts];
    const groups = new Map<number, number[]>();
    rollouts.forEach(({ group, score }, i) => {
      if (score?.status === "scored") groups.set(group, [...(groups.get(group) ?? []), i]);
    });
    await Promise.all(
      Array.from(groups.values(), async (members) => {
        const judged = members.map((i) => rollouts[i] as Judged);
        const [{ problem }] = judged as [Judged];
        const episodes = judged.map(({ episode }) => episode);
        const answered = await ask((signal) => reward(episodes, problem, { signal, learned }));
        if (answered.status === "answered") checkCount(answered.value, episodes, place);
        members.forEach((i, n) => {
          const { score, episode } = judged[n] as Judged;
          const more = answered.status === "answered" ? readReward(answered.value[n]) : answered;
          checkPlaces(more, agents, episode);
          found[i] = { ...(rollouts[i] as Rollout), score: withMore(score, more) };
        });
      }),
    );
    return found;
  };
}

function checkCount(given: unknown, episodes: readonly Episode[], place: string): void {
  checkValue({ name: "the group reward", value: "groupReward", place }, given, (each) => {
    if (!Array.isArray(each)) return `gave ${shownValue(each)}, expected a list with a reward for each episode`;
    return each.length === episodes.length ? null : `gave ${each.length} rewards for ${episodes.length} episodes`;
  });
}

function withMore(score: Judged["score"], more: RewardOutcome): RewardOutcome {
  return more.status === "scored" ? { ...score, reward: addRewards(score.reward, more.reward) } : more;
}
