import { truncatedShare, type BudgetMeasurement } from "@laconic/budget";
import { withoutOpponents } from "../opponents/games.ts";
import { meanCost, type ScoredRollout } from "./score.ts";

/** What a step used of a cost, as Eq. 5 and its guard see it. */
export function measurementOf(scored: readonly ScoredRollout[], cost = "tokens"): BudgetMeasurement {
  const episodes = scored.map(({ episode }) => withoutOpponents(episode));
  const turns = episodes.flatMap(({ utterances }) => utterances);
  const tasks = scored.map(({ measured }) => measured.task).filter((task) => !Number.isNaN(task));
  return {
    tokens: meanCost(scored, cost),
    taskReward: tasks.reduce((sum, task) => sum + task, 0) / Math.max(1, tasks.length),
    silenceRate: turns.filter(({ silent }) => silent).length / Math.max(1, turns.length),
    truncatedShare: truncatedShare(episodes),
  };
}
