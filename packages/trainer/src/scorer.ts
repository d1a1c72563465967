import { LaconicError, type Episode, type Problem, type Reward } from "@laconic/core";
import { graded, readReward, timerOf, withDeadline, type RewardOutcome } from "@laconic/rewards";
import type { TrainingTask } from "./parts.ts";

/** Asks a reward about an episode and says what became of it: never rejects, and is not late. Null for an agent's error. */
export type Scorer = (episode: Episode, problem: Problem) => Promise<RewardOutcome | null>;

/**
 * A reward that may take its time, fail or hang, as one that never does.
 * @param seconds - after which a reward that says nothing has failed, counted while no other one is said either
 */
export function scorer(reward: Reward, { seconds }: { readonly seconds: number }): Scorer {
  const ask = withDeadline({ seconds, timer: timerOf(globalThis) });
  return async (episode, problem) => {
    if (episode.stopReason === "error") return null; // an agent that failed leaves nothing to judge
    const answered = await ask((signal) => reward(episode, problem, { signal }));
    return answered.status === "answered" ? readReward(answered.value) : answered;
  };
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
