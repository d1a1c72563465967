import { environmentName, type AgentId } from "@laconic/core";
import type { ScoredRollout } from "./score.ts";

/**
 * What an environment's steps earned an agent from one of its turns until its next, as far as its reward has them: the team's where
 * agents share the reward, and its own. A step before the agent first spoke belongs to no turn.
 */
export function rewardOfSteps(
  { episode, score, credit }: Pick<ScoredRollout, "episode" | "score" | "credit">,
  agent: AgentId,
  turn: number,
): number {
  const { team = {}, agents = {} } = score?.status === "scored" ? score.reward : {};
  const hasTeams = credit === null && team[environmentName] !== undefined;
  const hasOwn = agents[agent]?.[environmentName] !== undefined;
  const later = episode.utterances.filter((each) => each.agent === agent && each.turn > turn).map((each) => each.turn);
  const next = Math.min(...later);
  let sum = 0;
  for (const { turn: at, reward } of episode.observations ?? []) {
    if (reward === undefined || at < turn || at >= next) continue;
    if (typeof reward === "number") sum += hasTeams ? reward : 0;
    else sum += hasOwn ? (reward[agent] ?? 0) : 0;
  }
  return sum;
}
