import { LaconicError, statisticOf, type AgentId, type Problem, type Statistic, type TokenTrace } from "@laconic/core";
import { isWorthExpanding, jointReplies, jointTreeAdvantages, type JointNode } from "@laconic/gspo";
import { measureCosts, rewardTerms, rewardTotal, scoreValue, termsOf, type RewardOutcome } from "@laconic/rewards";
import { jointEpisode, jointPrompt, speak, type JointGame, type JointHistory, type Turn } from "@laconic/topologies";
import type { TrainConfig, TreeSettings } from "../settings/config.ts";
import type { TrainingParts } from "../spec/parts.ts";
import type { GameOptions } from "./episode-rollout.ts";
import { streamOfAttempt, type GroupRollout, type GroupPlace } from "./group-rollout.ts";
import type { Played, RolloutTree, Tree, TreeAction, TreeNode } from "../rollout.ts";
import { tokensOf, type Pricing } from "./score.ts";

export interface TreeCredits {
  /** Advantages by trace, because episodes share replies. */
  readonly advantages: ReadonlyMap<TokenTrace, number>;
  /** 1 for equal reply values, else 0. */
  readonly nodesWithoutSpread: Statistic;
}

/**
 * MAGRPO's rollouts. Every agent samples G replies at each joint history, and `mode` joins them into actions. A scored
 * action continues as a branch unless its siblings are good enough. Actions without a score leave the tree, and a
 * history without a scored action ends. A rollout is a path from root to leaf.
 */
export function treeRollout(
  parts: TrainingParts,
  config: TrainConfig,
  settings: TreeSettings,
  { score, sampling }: Pick<GameOptions, "score" | "sampling">,
  { models, problem, group, random }: GroupPlace,
): GroupRollout {
  const game = parts.task.game!;
  return {
    parts: 1,
    async play(_, attempt = 0, signal) {
      const scores: (RewardOutcome | null)[] = [];
      const say: Say = (agent, location, prompt, earlier) => {
        const { id, maxTokens, stop, renderPrompt } = game.players[agent]!;
        const round = earlier.length / game.players.length;
        return speak(
          {
            models,
            sampling,
            random: streamOfAttempt(random.split(`problem:${group}/${location}`), attempt),
            ...(signal && { signal: AbortSignal.any([signal]) }), // one signal for very many listeners
          },
          {
            agent: id,
            turn: round * game.players.length + agent,
            round,
            prompt,
            inbox: [],
            earlier,
            maxTokens,
            ...(stop && { stop }),
            ...(renderPrompt && { renderPrompt }),
          },
        );
      };
      const judge = async (turns: readonly Turn[]): Promise<Played> => {
        const episode = jointEpisode(game, problem, turns);
        const played = { episode, score: await score(episode, problem) };
        scores.push(played.score);
        return played;
      };
      const growth = { game, problem, settings, count: config.episodesPerProblem, say, judge };
      const tree = await grow(growth, [], [], [], "root");
      return {
        rollouts: (tree?.paths ?? []).map((played) => ({ problem, group, ...played })),
        trees: tree ? [{ problem, agents: game.players.map(({ id }) => id), tree }] : [],
        scores,
      };
    },
  };
}

/**
 * MAGRPO's advantages: reward of each joint reply minus its cost, discounted by γ between turns. Agents with separate
 * terms have separate returns.
 * @param agents - charged agents. Default all
 */
export function treeCredits(
  trees: readonly RolloutTree[],
  gamma: number,
  pricing: Pricing,
  agents?: ReadonlySet<AgentId>,
): TreeCredits {
  const advantages = new Map<TokenTrace, number>();
  const spreads: number[] = [];
  for (const { problem, agents: players, tree } of trees) {
    const hasOwn = (node: TreeNode): boolean =>
      node.actions.some(
        ({ played: { score: outcome }, next }) =>
          (outcome?.status === "scored" && outcome.reward.agents !== undefined) || (next !== null && hasOwn(next)),
      );
    const views = hasOwn(tree.node) ? players.map((_, i) => i) : [null];
    const equal = new Map<string, boolean>();
    for (const view of views) {
      const worth = (action: TreeAction): number =>
        worthOf(action, problem, pricing, agents, view === null ? undefined : players[view]);
      for (const { path, agent, reply, advantage } of jointTreeAdvantages(valued(tree.node, worth), gamma)) {
        if (view !== null && agent !== view) continue;
        const node = path.join("/");
        equal.set(node, (equal.get(node) ?? true) && advantage === 0);
        const trace = tree.replies.get(placeOf(path, agent, reply))?.utterance.trace;
        if (trace) advantages.set(trace, advantage);
      }
    }
    for (const isEqual of equal.values()) spreads.push(isEqual ? 1 : 0);
  }
  return { advantages, nodesWithoutSpread: statisticOf(spreads) };
}

function worthOf(
  { played: { episode, score: outcome }, round }: TreeAction,
  problem: Problem,
  { costs, prices, ...options }: Pricing,
  agents: ReadonlySet<AgentId> | undefined,
  agent: AgentId | undefined,
): number {
  if (outcome?.status !== "scored") return Number.NaN;
  const reply = {
    ...episode,
    utterances: episode.utterances.filter((utterance) => utterance.round === round),
    ledger: { calls: episode.ledger.calls.filter((call) => call.round === round) },
  };
  const used = measureCosts(costs, agents ? tokensOf(reply, agents) : reply);
  if (outcome.reward.turns)
    throw new LaconicError(
      "reward_invalid",
      `problem "${problem.id}": the reward gives single turns terms of their own, but a tree judges joint replies; leave turns out`,
      { problemId: problem.id },
    );
  const terms = termsOf(outcome.reward, agent);
  return rewardTotal(rewardTerms({ task: outcome.value, terms, costs: used }, prices, options), problem.id);
}

function valued({ actions }: TreeNode, worth: (action: TreeAction) => number): JointNode {
  return {
    actions: actions.map((action) => ({
      replies: action.replies,
      reward: worth(action),
      next: action.next && valued(action.next, worth),
    })),
  };
}

type Say = (
  agent: number,
  location: string,
  prompt: ReturnType<typeof jointPrompt>,
  earlier: readonly Turn[],
) => Promise<Turn>;

interface Growth {
  readonly game: JointGame;
  readonly problem: Problem;
  readonly settings: TreeSettings;
  readonly count: number;
  readonly say: Say;
  readonly judge: (turns: readonly Turn[]) => Promise<Played>;
}

/** Returns null at the end of play. */
async function grow(
  growth: Growth,
  asked: JointHistory,
  history: JointHistory,
  before: readonly Turn[],
  location: string,
  path: readonly number[] = [],
): Promise<Tree | null> {
  const { game, problem, settings, count, say, judge } = growth;
  const round = history.length;
  const questions = round < game.turns ? await game.transition(problem, history) : null;
  if (questions === null) return null;
  const askedNow = [...asked, questions];
  // Ordered by agent and reply, so that equal runs write equal records.
  const replies = new Map<string, Turn>(
    await Promise.all(
      game.players.flatMap((_, agent) =>
        Array.from({ length: count }, async (__, reply): Promise<[string, Turn]> => {
          const prompt = jointPrompt(game, agent, askedNow, history);
          return [placeOf(path, agent, reply), await say(agent, `${location}/reply:${reply}`, prompt, before)];
        }),
      ),
    ),
  );
  const judged = await Promise.all(
    jointReplies(game.players.length, count, settings.mode).map(async (chosen) => {
      const turns = [...before, ...chosen.map((reply, agent) => replies.get(placeOf(path, agent, reply))!)];
      return { replies: chosen, turns, played: await judge(turns) };
    }),
  );
  const actions = judged.filter(({ played }) => played.score?.status === "scored");
  if (actions.length === 0) return null;
  const graded = actions.map(({ replies: chosen, played }) => ({ replies: chosen, reward: scoreValue(played.score) }));
  const goesOn = isWorthExpanding({ actions: graded }, settings.stopAbove);
  const branches = await Promise.all(
    actions.map(async ({ turns }, position) => {
      if (!goesOn) return null;
      const messages = turns.slice(before.length).map(({ utterance }) => utterance.text);
      return grow(growth, askedNow, [...history, messages], turns, `${location}/${position}`, [...path, position]);
    }),
  );
  for (const branch of branches) for (const [key, turn] of branch?.replies ?? []) replies.set(key, turn);
  return {
    node: {
      actions: actions.map(({ replies: chosen, played }, i) => ({
        replies: chosen,
        played,
        round,
        next: branches[i]?.node ?? null,
      })),
    },
    replies,
    paths: actions.flatMap(({ played }, i) => branches[i]?.paths ?? [played]),
  };
}

function placeOf(path: readonly number[], agent: number, reply: number): string {
  return `${path.join("/")}|${agent}|${reply}`;
}
