import {
  LaconicError,
  nearestName,
  type AgentId,
  type Episode,
  type Learned,
  type Problem,
  type Reward,
} from "@laconic/core";
import { graded, readReward, timerOf, withDeadline, type RewardOutcome } from "@laconic/rewards";
import type { TrainingTask } from "@laconic/topologies";

/** Asks a reward about an episode and says what became of it: is not late, and rejects for an agent alone that nobody is. Null for an agent's error. */
export type Scorer = (episode: Episode, problem: Problem, learned?: Learned) => Promise<RewardOutcome | null>;

/**
 * A reward that may take its time, fail or hang, as one that never does.
 * @param agents - of the team; a reward for anybody else is refused
 * @param seconds - after which a reward that says nothing has failed, counted while no other one is said either
 */
export function scorer(
  reward: Reward,
  { seconds }: { readonly seconds: number },
  agents: readonly AgentId[] | null = null,
): Scorer {
  const ask = withDeadline({ seconds, timer: timerOf(globalThis) });
  return async (episode, problem, learned) => {
    if (episode.stopReason === "error") return null; // an agent that failed leaves nothing to judge
    const answered = await ask((signal) => reward(episode, problem, { signal, ...(learned && { learned }) }));
    const outcome = answered.status === "answered" ? readReward(answered.value) : answered;
    if (agents !== null) checkPlaces(outcome, agents, episode);
    return outcome;
  };
}

/** @throws LaconicError `reward_invalid` naming an agent or a turn that is none: its terms would teach nobody, in silence */
export function checkPlaces(outcome: RewardOutcome, agents: readonly AgentId[], episode: Episode): void {
  if (outcome.status !== "scored") return;
  const { problemId: id, utterances } = episode;
  for (const turn of Object.keys(outcome.reward.turns ?? {}))
    if (!utterances.some((each) => String(each.turn) === turn))
      throw new LaconicError(
        "reward_invalid",
        `problem "${id}": the reward gives terms to turn ${turn}, and the episode has the turns ${utterances.map((each) => each.turn).join(", ")}`,
        { value: "reward", problemId: id, turn },
      );
  for (const agent of Object.keys(outcome.reward.agents ?? {})) {
    if (agents.includes(agent)) continue;
    const near = nearestName(agent, agents);
    throw new LaconicError(
      "reward_invalid",
      `problem "${id}": the reward gives terms to the agent "${agent}", and the team has ${agents.join(", ")}${near === undefined ? "" : `; did you mean ${near}?`}`,
      { value: "reward", problemId: id, agent },
    );
  }
}

/**
 * How a task's episodes are judged.
 * @throws LaconicError `input_invalid` for a task that says nothing of it.
 */
export function rewardOf({ name, reward, grader }: Pick<TrainingTask, "name" | "reward" | "grader">): Reward {
  if (reward) return reward;
  if (grader) return graded(grader);
  throw new LaconicError("input_invalid", `the task ${name} has neither a reward nor a grader`, { task: name });
}
