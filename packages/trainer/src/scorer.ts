import { inputError, LaconicError, nameHint, shownValue } from "@laconic/core";
import type { AgentId, Episode, GroupReward, Learned, Problem, Reward } from "@laconic/core";
import { grouped } from "@laconic/core/numeric";
import { checkValue } from "@laconic/core/checks";
import { addRewards, readReward, timerOf, withDeadline, type RewardOutcome, graded } from "@laconic/rewards";
import type { Rollout } from "./rollout.ts";
import type { TrainingTask } from "@laconic/topologies";

/** Scores an episode within a deadline; null after an agent's error. Rejects rewards of unknown agents or turns. */
export type Scorer = (episode: Episode, problem: Problem, learned?: Learned) => Promise<RewardOutcome | null>;

/**
 * Wraps a reward: slow and failed calls become outcomes.
 * @param agents - rewards of others are rejected
 * @param seconds - timeout, counted while no other call answers
 */
export function scorer(
  reward: Reward,
  { seconds }: { readonly seconds: number },
  agents: readonly AgentId[] | null = null,
): Scorer {
  const ask = withDeadline({ seconds, timer: timerOf(globalThis) });
  return async (episode, problem, learned) => {
    if (episode.stopReason === "error") return null;
    const answered = await ask((signal) => reward(episode, problem, { signal, ...(learned && { learned }) }));
    const outcome = answered.status === "answered" ? readReward(answered.value) : answered;
    if (agents !== null) checkPlaces(outcome, agents, episode);
    return outcome;
  };
}

/** @throws LaconicError `reward_invalid` for unknown agents or turns, whose terms would teach no agent */
function checkPlaces(outcome: RewardOutcome, agents: readonly AgentId[], episode: Episode): void {
  if (outcome.status !== "scored") return;
  const { problemId: id, utterances } = episode;
  for (const turn of Object.keys(outcome.reward.turns ?? {}))
    if (!utterances.some((utterance) => String(utterance.turn) === turn))
      throw new LaconicError(
        "reward_invalid",
        `problem "${id}": the reward gives terms to turn ${turn}, but the episode has the turns ${utterances.map((utterance) => utterance.turn).join(", ")}`,
        { value: "reward", problemId: id, turn },
      );
  for (const agent of Object.keys(outcome.reward.agents ?? {})) {
    if (agents.includes(agent)) continue;
    const reason = `the reward gives terms to the unknown agent "${agent}"; ${nameHint(agent, agents)}`;
    throw new LaconicError("reward_invalid", `problem "${id}": ${reason}`, { value: "reward", problemId: id, agent });
  }
}

/** Returns the task's reward, or its grader as a reward. @throws LaconicError `input_invalid` without either */
export function rewardOf({ name, reward, grader }: Pick<TrainingTask, "name" | "reward" | "grader">): Reward {
  if (reward) return reward;
  if (grader) return graded(grader);
  throw inputError(`the task ${name} has neither a reward nor a grader`, { task: name });
}

export type GroupScorer = (
  rollouts: readonly Rollout[],
  location: string,
  learned: Learned,
) => Promise<readonly Rollout[]>;

type Judged = Rollout & { readonly score: Extract<RewardOutcome, { status: "scored" }> };

/**
 * Wraps a group reward: groups of slow and failed calls have no score.
 * @param agents - rewards of others are rejected
 * @param seconds - timeout, counted while no other call answers
 */
export function groupScorer(
  reward: GroupReward,
  { seconds }: { readonly seconds: number },
  agents: readonly AgentId[],
): GroupScorer {
  const ask = withDeadline({ seconds, timer: timerOf(globalThis) });
  return async (rollouts, location, learned) => {
    const matches = [...rollouts];
    const scored = [...rollouts.keys()].filter((i) => rollouts[i]?.score?.status === "scored");
    await Promise.all(
      grouped(scored, (i) => rollouts[i]?.group).map(async (members) => {
        const judged = members.map((i) => rollouts[i] as Judged);
        const [{ problem }] = judged as [Judged];
        const episodes = judged.map(({ episode }) => episode);
        const answered = await ask((signal) => reward(episodes, problem, { signal, learned }));
        if (answered.status === "answered") checkCount(answered.value, episodes, location);
        members.forEach((i, n) => {
          const { score, episode } = judged[n]!;
          const more = answered.status === "answered" ? readReward(answered.value[n]) : answered;
          checkPlaces(more, agents, episode);
          matches[i] = {
            ...rollouts[i]!,
            score: more.status === "scored" ? { ...score, reward: addRewards(score.reward, more.reward) } : more,
          };
        });
      }),
    );
    return matches;
  };
}

function checkCount(input: unknown, episodes: readonly Episode[], location: string): void {
  checkValue({ name: "the group reward", value: "groupReward", place: location }, input, (item) => {
    if (!Array.isArray(item)) return `gave ${shownValue(item)}, expected a list with one reward per episode`;
    return item.length === episodes.length ? null : `gave ${item.length} rewards for ${episodes.length} episodes`;
  });
}
