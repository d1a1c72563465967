import type { StoredNode, StoredTree } from "@laconic/core/run-folder";
import type { Played, StepRecord } from "../folder/record.ts";
import { meanOf, total, type Numbers } from "./numbers.ts";
import { costsOf, termsOf } from "./rewards.ts";
import type { TrainSettings } from "./settings.ts";

/**
 * MAGRPO's advantages by utterance number: R_j = r_j + γ · mean of the returns below, less the siblings' mean. A reply of several
 * joint actions has the mean of theirs.
 */
export function treeAdvantages(
  step: StepRecord,
  settings: TrainSettings,
  prices: Numbers,
): ReadonlyMap<number, number> {
  const advantages = new Map<number, number>();
  for (const tree of step.trees ?? []) {
    const places = new Map(tree.replies);
    tree.agents.forEach((_, slot) => {
      const returnsOf = (node: StoredNode, path: readonly number[]): number[] => {
        const returns = node.actions.map(({ episode, round, next }, i) => {
          const below = next ? meanOf(returnsOf(next, [...path, i])) : 0;
          const now = rewardOf(step.episodes[episode] as Played, round, settings, prices, agentOf(tree, slot, step));
          return now + (settings.tree?.gamma ?? 0) * below;
        });
        for (const reply of new Set(node.actions.map(({ replies }) => replies[slot]))) {
          const holding = returns.filter((__, i) => node.actions[i]?.replies[slot] === reply);
          const utterance = places.get(`${path.join("/")}|${slot}|${reply}`);
          if (utterance !== undefined) advantages.set(utterance, meanOf(holding) - meanOf(returns));
        }
        return returns;
      };
      returnsOf(tree.node, []);
    });
  }
  return advantages;
}

/** The agent whose own terms count, where the reward gives agents terms. */
function agentOf({ node, agents }: StoredTree, slot: number, { episodes }: StepRecord): string | null {
  const hasTerms = ({ actions }: StoredNode): boolean =>
    actions.some(({ episode, next }) => episodes[episode]?.score?.reward?.agents || (next && hasTerms(next)));
  return hasTerms(node) ? (agents[slot] ?? null) : null;
}

/** The grade of an episode, less what its words of one round cost. */
function rewardOf(
  episode: Played,
  round: number,
  settings: TrainSettings,
  prices: Numbers,
  agent: string | null,
): number {
  const isNow = (said: { readonly round: number }): boolean => said.round === round;
  const calls = episode.ledger.calls.filter(isNow);
  const costs = costsOf(settings, { utterances: episode.utterances.filter(isNow), ledger: { calls } });
  const own = agent === null ? {} : (episode.score?.reward?.agents?.[agent] ?? {});
  return total(Object.values(termsOf(episode, costs, prices))) + total(Object.values(own));
}
