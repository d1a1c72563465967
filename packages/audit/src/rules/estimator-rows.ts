import type { Row } from "./estimators.ts";
import type { TrainSettings } from "./settings.ts";
import type { Judged, Trained } from "../step-facts.ts";

/** What an estimator sees: an episode a row, or an utterance. */
export function rowsOf(
  members: readonly (readonly number[])[],
  { groupBy, weightBy }: Pick<TrainSettings, "groupBy" | "weightBy">,
  judged: readonly Judged[],
  trained: readonly Trained[],
): Row[] {
  const counts = new Map<string, number>();
  const rows = members.map((sequences, i) => {
    const first = trained[sequences[0] ?? -1];
    const each = judged[groupBy === "prompt" ? i : (first as Trained).rollout] as Judged;
    const { agent = "", turn = 0 } = first?.utterance ?? {};
    const keys = groupBy === "prompt+agent" ? [agent] : groupBy === "prompt+agent+turn" ? [agent, turn] : [];
    const alone = (each.agentRewards.get(agent) ?? 0) + (each.turnRewards.get(turn) ?? 0);
    const group = JSON.stringify([each.row.group, ...keys]);
    const share = JSON.stringify([group, judged.indexOf(each)]);
    counts.set(share, (counts.get(share) ?? 0) + 1);
    return {
      share,
      group,
      agent,
      reward: groupBy === "prompt" ? each.own.reward : (each.credit?.get(turn) ?? each.own.reward) + alone,
      tokens: sequences.reduce((sum, s) => sum + (trained[s]?.utterance.trace?.tokens.length ?? 0), 0),
      terms: each.episode.score?.reward?.team ?? { task: each.own.task },
      costs: each.own.costs,
      greedyReward: each.greedyReward,
    };
  });
  return rows.map(({ share, ...row }) => ({ ...row, weight: weightBy === "turn" ? 1 : 1 / (counts.get(share) ?? 1) }));
}
