import type { Utterance } from "@laconic/core";
import { meanOf, type Numbers } from "./numbers.ts";
import type { StoredNode, StoredTree, StoredEpisode } from "@laconic/core/run-folder";
import type { AuditedStep } from "../folder/record.ts";
import { earned, gradeOf, measured, tokensOf } from "./rewards.ts";
import type { TrainSettings } from "./settings.ts";

/**
 * MAGRPO's advantages by utterance number: R_j = r_j + γ · mean of the returns below, less the siblings' mean; a reply of several
 * joint actions has the mean of theirs.
 * @param payers - whose words cost; the team's when absent
 */
export function treeAdvantages(
  step: AuditedStep,
  settings: TrainSettings,
  prices: Numbers,
  payers: readonly string[] | null,
): { readonly advantages: ReadonlyMap<number, number>; readonly nodesWithoutSpread: number } {
  const advantages = new Map<number, number>();
  const flags: number[] = [];
  for (const tree of step.trees ?? []) {
    const own = hasOwnTerms(tree.node, step.episodes);
    const flat = new Map<string, boolean>();
    tree.agents.forEach((agent, slot) => {
      const worth = (action: StoredNode["actions"][number]): number => {
        const episode = step.episodes[action.episode] as StoredEpisode<Utterance>;
        const isNow = ({ round }: { readonly round: number }): boolean => round === action.round;
        const now = {
          utterances: episode.utterances.filter(isNow),
          ledger: { calls: episode.ledger.calls.filter(isNow) },
        };
        const costs = measured(settings, payers ? tokensOf(now, payers) : now, {});
        return earned(settings, episode, costs, prices, termsOf(episode, own ? agent : null)).reward;
      };
      const visit = (node: StoredNode, path: readonly number[]): number[] => {
        const returns = node.actions.map((action, i) => {
          const below = action.next ? meanOf(visit(action.next, [...path, i])) : 0;
          return worth(action) + settings.tree!.gamma * below;
        });
        for (const reply of new Set(node.actions.map(({ replies }) => replies[slot] as number))) {
          const holding = returns.filter((_, i) => node.actions[i]?.replies[slot] === reply);
          const advantage = meanOf(holding) - meanOf(returns);
          const utterance = utteranceAt(tree, path, slot, reply);
          if (utterance !== undefined) advantages.set(utterance, advantage);
          const place = path.join("/");
          flat.set(place, (flat.get(place) ?? true) && advantage === 0);
        }
        return returns;
      };
      visit(tree.node, []);
    });
    for (const isFlat of flat.values()) flags.push(isFlat ? 1 : 0);
  }
  return { advantages, nodesWithoutSpread: flags.length === 0 ? 0 : meanOf(flags) };
}

function utteranceAt(
  { replies }: StoredTree,
  path: readonly number[],
  slot: number,
  reply: number,
): number | undefined {
  const wanted = `${path.join("/")}|${slot}|${reply}`;
  return replies.find(([place]) => place === wanted)?.[1];
}

function hasOwnTerms(node: StoredNode, episodes: readonly StoredEpisode<Utterance>[]): boolean {
  return node.actions.some(
    ({ episode, next }) =>
      episodes[episode]?.score?.reward?.agents !== undefined || (next !== null && hasOwnTerms(next, episodes)),
  );
}

/** The team's terms, and an agent's own on top of them. */
function termsOf(episode: StoredEpisode<Utterance>, agent: string | null): Numbers {
  const { team = { task: gradeOf(episode) }, agents = {} } = episode.score?.reward ?? {};
  const terms: Record<string, number> = { ...team };
  for (const [name, value] of Object.entries(agent === null ? {} : (agents[agent] ?? {})))
    terms[name] = (terms[name] ?? 0) + value;
  return terms;
}

/** Scored joint replies of all trees. */
export function actionsOf(step: AuditedStep): number[] {
  const below = (node: StoredNode): number[] =>
    node.actions.flatMap(({ episode, next }) => [episode, ...(next ? below(next) : [])]);
  return (step.trees ?? []).flatMap(({ node }) => below(node));
}
