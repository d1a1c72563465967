import type { Utterance } from "@laconic/core";
import { total, type Numbers } from "./numbers.ts";
import { equation1, unitsOf, type CostRow, type Said } from "./costs.ts";
import type { StoredRollout, StoredEpisode } from "@laconic/core/run-folder";
import type { TrainSettings } from "./settings.ts";

/** What an episode earned: Agent-GSPO Eq. 1, r = task - λ_tok tokens - λ_turn turns - λ_rep repetition. */
export interface Earned {
  /** NaN without a grade. */
  readonly task: number;
  readonly costs: Numbers;
  readonly terms: Numbers;
  readonly reward: number;
}

export const gradeOf = ({ score }: Pick<StoredEpisode, "score">): number =>
  score?.status === "scored" ? (score.value ?? Number.NaN) : Number.NaN;

/** Costs that a configuration names; null for one of the user's own. */
export function costRows({ costs }: TrainSettings): Readonly<Record<string, CostRow | null>> {
  if (costs === null) return equation1;
  return Object.fromEntries(
    Object.entries(costs).map(([name, cost]) => [name, typeof cost === "object" ? (cost as CostRow) : null]),
  );
}

/** @param recorded - units of costs that this audit cannot count */
export function measured(settings: TrainSettings, said: Said, recorded: StoredRollout["costs"]): Numbers {
  return Object.fromEntries(
    Object.entries(costRows(settings)).map(([name, cost]) => {
      const units = cost && unitsOf(cost, said);
      return [name, units ?? recorded[name] ?? Number.NaN];
    }),
  );
}

/** Eq. 1 for an episode, or for one agent's view of it. */
export function earned(
  { costWhenTaskAtLeast = Number.NEGATIVE_INFINITY }: TrainSettings,
  episode: Pick<StoredEpisode, "score">,
  costs: Numbers,
  prices: Numbers,
  ofTask: Numbers = episode.score?.reward?.team ?? { task: Number.NaN },
): Earned {
  const task = gradeOf(episode);
  const pays = !(task < costWhenTaskAtLeast);
  const charged = Object.entries(costs).map(([name, units]): [string, number] => {
    const price = pays ? (prices[name] ?? 0) : 0;
    return [name, price === 0 ? 0 : -price * units];
  });
  const terms = { ...ofTask, ...Object.fromEntries(charged) };
  return { task, costs, terms, reward: total(Object.values(terms)) };
}

/** The words of some agents. */
export function tokensOf({ utterances, ledger }: Said, agents: readonly string[]): Said {
  const isTheirs = ({ agent }: { readonly agent: string }): boolean => agents.includes(agent);
  return { utterances: utterances.filter(isTheirs), ledger: { calls: ledger.calls.filter(isTheirs) } };
}

/**
 * Worth of each utterance by turn where agents do not share the reward; null where they do. `difference`: with and without the
 * speaker (Wolpert and Tumer 2002). `margin`, `quality`: MARTI's shaping by the mean grade of the rounds before.
 */
export function creditOf(
  { credit }: TrainSettings,
  { utterances }: StoredEpisode<Utterance>,
  own: Earned,
  rollout: StoredRollout,
  rewardWithout: (agent: string) => number,
  ofTask: Numbers,
): ReadonlyMap<number, number> | null {
  if (credit.kind === "shared") return null;
  if (credit.kind === "difference")
    return new Map(utterances.map(({ turn, agent }) => [turn, own.reward - rewardWithout(agent)]));
  const grades = (rollout.utteranceScores ?? []).map((grade) => grade ?? Number.NaN);
  const charged = own.reward - total(Object.values(ofTask));
  const alpha = credit.alpha ?? 0;
  return new Map(
    utterances.map(({ turn, round }, i) => {
      const R = grades[i] ?? Number.NaN;
      const earlier = grades.filter((_, j) => (utterances[j]?.round ?? 0) < round);
      if (earlier.length === 0) return [turn, R + charged];
      const Q = total(earlier) / earlier.length;
      const moved = credit.kind === "margin" ? R - Q : Q * R - (1 - Q) * (1 - R);
      return [turn, R + alpha * moved + charged];
    }),
  );
}
