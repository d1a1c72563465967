import type { Row } from "./estimators.ts";
import type { TrainSettings } from "./settings.ts";
import type { Judged, Trained } from "../step-facts.ts";

/** What an estimator sees: an episode a row, or an utterance. */
export function rowsOf(
  members: readonly (readonly number[])[],
  groupBy: TrainSettings["groupBy"],
  judged: readonly Judged[],
  trained: readonly Trained[],
): Row[] {
  return members.map((sequences, i): Row => {
    const first = trained[sequences[0] ?? -1];
    const each = judged[groupBy === "prompt" ? i : (first as Trained).rollout] as Judged;
    const { agent = "", turn = 0 } = first?.utterance ?? {};
    const keys = groupBy === "prompt+agent" ? [agent] : groupBy === "prompt+agent+turn" ? [agent, turn] : [];
    const alone = (each.agentRewards.get(agent) ?? 0) + (each.turnRewards.get(turn) ?? 0);
    return {
      group: JSON.stringify([each.row.group, ...keys]),
      agent,
      reward: groupBy === "prompt" ? each.own.reward : (each.credit?.get(turn) ?? each.own.reward) + alone,
      tokens: sequences.reduce((sum, s) => sum + (trained[s]?.utterance.trace?.tokens.length ?? 0), 0),
      terms: each.episode.score?.reward?.team ?? { task: each.own.task },
      costs: each.own.costs,
      greedyReward: each.greedyReward,
    };
  });
}
