import { LaconicError, statisticOf, type Problem, type Random, type Statistic, type TokenTrace } from "@laconic/core";
import { isWorthExpanding, jointReplies, jointTreeAdvantages, type JointNode } from "@laconic/gspo";
import type { SampleScore } from "@laconic/rewards";
import { jointEpisode, jointPrompt, speak, type JointGame, type JointHistory, type Turn } from "@laconic/topologies";
import type { TrainConfig, TreeSettings } from "../config.ts";
import { modelsOf, type Samplers, type TrainingParts } from "../parts.ts";
import { withVerdicts } from "../verdicts.ts";
import type { Rollout } from "./rollout.ts";

/** What a step's trees say of each reply. */
export interface TreeCredits {
  /** By the reply's trace: several episodes of a tree share a reply. */
  readonly advantages: ReadonlyMap<TokenTrace, number>;
  /** 1 for a node whose replies are all worth the same, else 0. */
  readonly nodesWithoutSpread: Statistic;
  /** Joint replies that were judged: MAGRPO's env steps. */
  readonly evaluations: number;
  /** What became of their scores. */
  readonly scores: readonly SampleScore[];
}

export interface TreeRollouts {
  /** One for each path from a root to a leaf. */
  readonly rollouts: readonly Rollout[];
  readonly credits: TreeCredits;
}

/**
 * MAGRPO's rollouts: at each joint history every agent samples G replies, which join into actions as `mode` says; each action
 * is judged, and goes on as a branch of its own unless its siblings are good enough already. An action without a score is no
 * part of its tree, and a history without a scored action ends there.
 */
export async function treeRollout(
  parts: TrainingParts,
  config: TrainConfig,
  settings: TreeSettings,
  samplers: Samplers,
  problems: readonly Problem[],
  random: Random,
): Promise<TreeRollouts> {
  const task = withVerdicts(parts.task, config.scoring);
  const scores: SampleScore[] = [];
  const game = task.game as JointGame;
  const models = modelsOf(parts, samplers);
  const trees = await Promise.all(
    problems.map((problem, group) => {
      const say: Say = (agent, place, prompt, round) => {
        const { id, maxTokens, renderPrompt } = game.players[agent] as JointGame["players"][number];
        return speak(
          { models, sampling: config.sampling, random: random.split(`problem:${group}/${place}`) },
          {
            agent: id,
            turn: round * game.players.length + agent,
            round,
            prompt,
            inbox: [],
            maxTokens,
            ...(renderPrompt && { renderPrompt }),
          },
        );
      };
      const judge = async (turns: readonly Turn[]): Promise<number> => {
        const score = await task.scoreOf(jointEpisode(game, problem, turns).answer, problem);
        scores.push(score);
        return score.status === "scored" ? score.value : Number.NaN;
      };
      return grow({ game, problem, settings, count: config.episodesPerProblem, say, judge }, [], [], [], "root");
    }),
  );
  const advantages = new Map<TokenTrace, number>();
  const spreads: number[] = [];
  const rollouts: Rollout[] = [];
  let evaluations = 0;
  trees.forEach((tree, group) => {
    const problem = problems[group] as Problem;
    if (!tree) return;
    for (const turns of tree.paths) rollouts.push({ problem, group, episode: jointEpisode(game, problem, turns) });
    evaluations += tree.evaluations;
    const equal = new Map<string, boolean>();
    for (const { path, agent, reply, advantage } of jointTreeAdvantages(tree.node, settings.gamma)) {
      const node = path.join("/");
      equal.set(node, (equal.get(node) ?? true) && advantage === 0);
      const trace = tree.replies.get(placeOf(path, agent, reply))?.utterance.trace;
      if (trace) advantages.set(trace, advantage);
    }
    for (const isEqual of equal.values()) spreads.push(isEqual ? 1 : 0);
  });
  return { rollouts, credits: { advantages, nodesWithoutSpread: statisticOf(spreads), evaluations, scores } };
}

/** @throws LaconicError `config_invalid` for a tree on a task that has no synchronous turns */
export function checkTreeTask(
  { task }: { readonly task: Pick<TrainingParts["task"], "name" | "game"> },
  { tree }: Pick<TrainConfig, "tree">,
): void {
  if (tree && !task.game)
    throw new LaconicError("config_invalid", `tree: the task ${task.name} is not played in synchronous turns`, {
      key: "tree",
    });
}

type Say = (agent: number, place: string, prompt: ReturnType<typeof jointPrompt>, round: number) => Promise<Turn>;

interface Growth {
  readonly game: JointGame;
  readonly problem: Problem;
  readonly settings: TreeSettings;
  /** Replies of each agent at a node: G. */
  readonly count: number;
  readonly say: Say;
  readonly judge: (turns: readonly Turn[]) => Promise<number>;
}

interface Tree {
  readonly node: JointNode;
  /** By place: the path to the node, the agent, the reply. */
  readonly replies: ReadonlyMap<string, Turn>;
  readonly paths: readonly (readonly Turn[])[];
  readonly evaluations: number;
}

/** The tree behind a joint history; null where the transition ends the play. */
async function grow(
  growth: Growth,
  asked: JointHistory,
  history: JointHistory,
  before: readonly Turn[],
  place: string,
  path: readonly number[] = [],
): Promise<Tree | null> {
  const { game, problem, settings, count, say, judge } = growth;
  const round = history.length;
  const questions = round < game.turns ? await game.transition(problem, history) : null;
  if (questions === null) return null;
  const askedNow = [...asked, questions];
  const replies = new Map<string, Turn>();
  await Promise.all(
    game.players.flatMap((_, agent) =>
      Array.from({ length: count }, async (__, reply) => {
        const prompt = jointPrompt(game, agent, askedNow, history);
        replies.set(placeOf(path, agent, reply), await say(agent, `${place}/reply:${reply}`, prompt, round));
      }),
    ),
  );
  const judged = await Promise.all(
    jointReplies(game.players.length, count, settings.mode).map(async (chosen) => {
      const turns = [...before, ...chosen.map((reply, agent) => replies.get(placeOf(path, agent, reply)) as Turn)];
      return { replies: chosen, turns, reward: await judge(turns) };
    }),
  );
  const actions = judged.filter(({ reward }) => !Number.isNaN(reward));
  if (actions.length === 0) return null;
  const goesOn = isWorthExpanding({ actions }, settings.stopAbove);
  const branches = await Promise.all(
    actions.map(async ({ turns }, position) => {
      if (!goesOn) return null;
      const said = turns.slice(before.length).map(({ utterance }) => utterance.text);
      return grow(growth, askedNow, [...history, said], turns, `${place}/${position}`, [...path, position]);
    }),
  );
  for (const branch of branches) for (const [key, turn] of branch?.replies ?? []) replies.set(key, turn);
  return {
    node: {
      actions: actions.map(({ replies: chosen, reward }, i) => ({
        replies: chosen,
        reward,
        next: branches[i]?.node ?? null,
      })),
    },
    replies,
    paths: actions.flatMap(({ turns }, i) => branches[i]?.paths ?? [turns]),
    evaluations: judged.length + branches.reduce((sum, branch) => sum + (branch?.evaluations ?? 0), 0),
  };
}

function placeOf(path: readonly number[], agent: number, reply: number): string {
  return `${path.join("/")}|${agent}|${reply}`;
}
