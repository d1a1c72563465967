import { mapValues, type Problem, type Ragged, type Utterance } from "@laconic/core";
import {
  packNumbers,
  type RecordedEpisode,
  type StoredEpisode,
  type StoredEpisodes,
  type StoredEvaluation,
  type StoredNode,
  type StoredPolicy,
  type StoredStep,
  type StoredUtterance,
} from "@laconic/core/run-folder";
import type { LearnerResult, StepBatch } from "../stages/learner.ts";
import type { Rollout, RolloutTree } from "../rollout.ts";
import type { ScoredRollout } from "../stages/score.ts";

export interface StepRecord extends Pick<StepBatch, "scored" | "trees" | "scoring" | "prices"> {
  readonly step: number;
  readonly temperature?: number;
  readonly lag: number | readonly number[];
  readonly learners: readonly LearnerResult[];
}

/** Packs a step as plain data, with each utterance once. */
export function packStep({ scored, trees, learners, ...rest }: StepRecord): StoredStep {
  const table = episodeTable();
  const { problems, rollouts } = table.rollouts(scored);
  const grown = trees?.map(({ problem, agents, tree }) => ({
    group: problems.indexOf(problem),
    agents,
    node: packNode(tree.node, table),
    replies: Array.from(tree.replies, ([location, { utterance }]) => [location, table.utterance(utterance)] as const),
  }));
  const policies = Object.fromEntries(learners.map((learner) => [learner.learner.name, packLearner(learner)]));
  return { ...rest, problems, rollouts, ...(grown && { trees: grown }), policies, ...table.columns() };
}

export function packRollouts(
  step: number,
  scored: readonly ScoredRollout[],
): StoredEpisodes & Pick<StoredStep, "step" | "problems" | "rollouts"> {
  const table = episodeTable();
  return { step, ...table.rollouts(scored), ...table.columns() };
}

export function packEvaluation(step: number, played: readonly RecordedEpisode[]): StoredEvaluation {
  const table = episodeTable();
  const rows = played.map(({ problem, episode, task = Number.NaN }) => ({
    problem,
    episode: table.add({ episode }),
    task,
  }));
  return { step, played: rows, ...table.columns() };
}

function packLearner({
  learner,
  scored,
  batch,
  oldLogProbs,
  refLogProbs,
  policyLogProbs,
  update,
  prices,
}: LearnerResult): StoredPolicy {
  const isSame = (a: Ragged, b: Ragged): boolean => a.values.every((value, t) => Object.is(value, b.values[t]));
  return {
    agents: [...learner.agents],
    prices,
    ...(learner.hasOwnBudget && { rewards: scored.map(({ reward }) => reward) }),
    // Rollout and turn of each sequence.
    sequences: batch.utterances.map(({ turn }, i) => [batch.episodes[i]!, turn] as const),
    advantages: packNumbers(batch.advantages),
    oldLogProbs: isSame(oldLogProbs, batch.sampledLogProbs) ? null : packNumbers(oldLogProbs.values),
    ...(refLogProbs && { refLogProbs: packNumbers(refLogProbs.values) }),
    ...(policyLogProbs && {
      policyLogProbs: mapValues(policyLogProbs, ({ values }) => packNumbers(values)),
    }),
    updates: update.parts.map(({ logProbs, entropy, examples, ...part }) => ({
      ...part,
      ...(examples && {
        examples: {
          sequences: examples.sequences.map((sequence) => [sequence.promptTokens, sequence.completionTokens] as const),
          logProbs: packNumbers(examples.logProbs.values),
        },
      }),
      logProbs: packNumbers(logProbs.values),
      entropy: { sum: entropy.sum, count: entropy.count },
    })),
  };
}

type Node = RolloutTree["tree"]["node"];

function packNode({ actions }: Node, table: EpisodeTable): StoredNode {
  return {
    actions: actions.map(({ replies, played, round, next }) => ({
      replies,
      episode: table.add(played),
      round,
      next: next && packNode(next, table),
    })),
  };
}

type EpisodeTable = ReturnType<typeof episodeTable>;

/** Numbers episodes and utterances, because episodes of a tree share utterances. */
function episodeTable() {
  const episodes = numbered<StoredEpisode>();
  const utterances = numbered<StoredUtterance>();
  const logProbs: number[] = [];
  const numberOf = (utterance: Utterance): number => {
    const { trace, ...rest } = utterance;
    return utterances.numberOf(trace ?? utterance, () => {
      for (const logProb of trace?.logProbs ?? []) logProbs.push(logProb);
      return { ...rest, ...(trace && { promptTokens: trace.promptTokens, tokens: trace.tokens }) };
    });
  };
  const add = ({ episode, score }: Pick<Rollout, "episode"> & Partial<Pick<Rollout, "score">>): number =>
    episodes.numberOf(episode, () => {
      const { utterances: all, ...rest } = episode;
      return { ...rest, utterances: all.map(numberOf), ...(score !== undefined && { score }) };
    });
  const rollouts = (scored: readonly ScoredRollout[]): Pick<StoredStep, "problems" | "rollouts"> => {
    const problems: Problem[] = [];
    for (const { group, problem } of scored) problems[group] = problem;
    const rows = scored.map((rollout) => ({
      group: rollout.group,
      episode: add(rollout),
      costs: rollout.measured.costs,
      terms: rollout.terms,
      reward: rollout.reward,
      ...(rollout.agentRewards.size > 0 && { agentRewards: Object.fromEntries(rollout.agentRewards) }),
      ...(rollout.credit && { credit: [...rollout.credit] }),
      ...(rollout.replays && {
        replays: rollout.replays.map((replay) => [replay.change, add(replay)] as const),
      }),
      ...(rollout.greedy && { greedy: add(rollout.greedy), greedyReward: rollout.greedyReward }),
    }));
    return { problems, rollouts: rows };
  };
  const columns = (): StoredEpisodes => ({
    episodes: episodes.rows,
    utterances: utterances.rows,
    sampledLogProbs: packNumbers(logProbs),
  });
  return { add, rollouts, utterance: numberOf, columns };
}

function numbered<Row>(): { readonly rows: Row[]; numberOf(key: object, make: () => Row): number } {
  const rows: Row[] = [];
  const numbers = new Map<object, number>();
  const numberOf = (key: object, make: () => Row): number => {
    const number = numbers.get(key);
    if (number !== undefined) return number;
    const row = make();
    numbers.set(key, rows.length);
    return rows.push(row) - 1;
  };
  return { rows, numberOf };
}
