import {
  findBadLogProb,
  LaconicError,
  ragged,
  sampledLogProbRange,
  statisticOf,
  type Diagnostics,
  type Ragged,
  type TokenTrace,
  type TrainingSequence,
  type Utterance,
} from "@laconic/core";
import { groupAdvantages, groupIndex, rawRewards, rloo, type AdvantageResult } from "@laconic/gspo";
import { decoupledAdvantages } from "@laconic/rewards";
import type { TrainConfig } from "../config.ts";
import { pricingOf, type ScoredRollout } from "./score.ts";
import type { TreeCredits } from "./tree-rollout.ts";

/** One training sequence per trained utterance, each with its advantage. */
export interface TrainingBatch {
  readonly sequences: readonly TrainingSequence[];
  readonly utterances: readonly Utterance[];
  /** Index of the episode each sequence comes from. */
  readonly episodes: Int32Array;
  /** Index of the problem each sequence comes from. */
  readonly problems: Int32Array;
  /** [S] */
  readonly advantages: Float64Array;
  /** log π as the sampler reported it. */
  readonly sampledLogProbs: Ragged;
  /** Utterances of trained agents without a single token: there is nothing to train. */
  readonly empty: number;
  readonly diagnostics: Diagnostics;
}

interface Trained {
  readonly utterance: Utterance;
  readonly trace: TokenTrace;
  readonly episode: number;
}

/**
 * @param agents - of the policy that is trained
 * @param credits - advantages of a rollout tree, whose replies several episodes share
 * @throws LaconicError `input_invalid` when a trained agent's model reports no token trace, or a log-prob too few or too many;
 * `numeric_invalid` with agent, turn and token for a log-prob that no sampled token has.
 */
export function trainingBatch(
  scored: readonly ScoredRollout[],
  config: TrainConfig,
  agents: ReadonlySet<string>,
  tokenPrice: number,
  credits?: TreeCredits,
): TrainingBatch {
  const spoken = scored.flatMap(({ episode }, index) => spokenBy(agents, episode.utterances, index));
  const once = credits ? firstOfEach(spoken) : spoken;
  const trained = once.filter(({ trace }) => trace.tokens.length > 0);
  const { advantages, diagnostics } = credits
    ? advantagesOfTree(trained, credits)
    : advantagesOf(scored, trained, config, tokenPrice);
  return {
    sequences: trained.map(({ trace }) => ({
      promptTokens: trace.promptTokens,
      completionTokens: trace.tokens,
      temperature: config.sampling.temperature,
    })),
    utterances: trained.map(({ utterance }) => utterance),
    episodes: Int32Array.from(trained, ({ episode }) => episode),
    problems: Int32Array.from(trained, ({ episode }) => (scored[episode] as ScoredRollout).group),
    advantages,
    sampledLogProbs: logProbsOf(trained),
    empty: once.length - trained.length,
    diagnostics,
  };
}

function spokenBy(agents: ReadonlySet<string>, utterances: readonly Utterance[], episode: number): Trained[] {
  return utterances
    .filter(({ agent }) => agents.has(agent))
    .map((utterance) => {
      const { agent, model, trace } = utterance;
      if (trace) return { utterance, trace, episode };
      throw new LaconicError(
        "input_invalid",
        `agent "${agent}" is trained, but its model ${model.id} reports no token trace; train a local policy, or name the agent as frozen`,
        { agent, model: model.id },
      );
    });
}

function logProbsOf(trained: readonly Trained[]): Ragged {
  const logProbs = ragged(trained.map(({ trace }) => trace.logProbs));
  const row = trained.findIndex(({ trace }) => trace.logProbs.length !== trace.tokens.length);
  if (row >= 0) {
    const { utterance, trace, episode } = trained[row] as Trained;
    throw new LaconicError(
      "input_invalid",
      `episode ${episode}, agent "${utterance.agent}", turn ${utterance.turn}: its sampler reports ${trace.logProbs.length} log-probs for ${trace.tokens.length} tokens`,
      { row, episode, agent: utterance.agent, turn: utterance.turn },
    );
  }
  const bad = findBadLogProb(logProbs, sampledLogProbRange);
  if (bad) {
    const { utterance, episode } = trained[bad.sequence] as Trained;
    const { min, max } = sampledLogProbRange;
    throw new LaconicError(
      "numeric_invalid",
      `episode ${episode}, agent "${utterance.agent}", turn ${utterance.turn}, token ${bad.token}: its sampler reports the log-prob ${bad.value}, expected one from ${min} to ${max}`,
      { row: bad.sequence, episode, agent: utterance.agent, turn: utterance.turn, token: bad.token, value: bad.value },
    );
  }
  return logProbs;
}

function firstOfEach(spoken: readonly Trained[]): Trained[] {
  const seen = new Set<TokenTrace>();
  return spoken.filter(({ trace }) => !seen.has(trace) && seen.add(trace));
}

function advantagesOfTree(trained: readonly Trained[], credits: TreeCredits): AdvantageResult {
  const advantages = Float64Array.from(trained, ({ trace }) => credits.advantages.get(trace) ?? 0);
  return {
    advantages,
    diagnostics: { advantages: statisticOf(advantages), frac_reward_zero_std: credits.nodesWithoutSpread },
  };
}

/** Eq. 2 over episodes of a prompt, or over utterances where the key names agents or turns. */
function advantagesOf(
  scored: readonly ScoredRollout[],
  trained: readonly Trained[],
  config: TrainConfig,
  tokenPrice: number,
): AdvantageResult {
  if (config.groupBy === "prompt") {
    const groups = Int32Array.from(scored, ({ group }) => group);
    const rewards = scored.map(({ reward }) => reward);
    const { advantages, diagnostics } = estimate(scored, rewards, groups, config, tokenPrice);
    return { advantages: Float64Array.from(trained, ({ episode }) => advantages[episode] as number), diagnostics };
  }
  const rows = trained.map(({ episode }) => scored[episode] as ScoredRollout);
  const items = trained.map(({ utterance: { agent, turn } }, i) => ({
    problem: (rows[i] as ScoredRollout).group,
    agent,
    turn,
  }));
  const rewards = rows.map(({ reward, credit }, i) => credit?.get((trained[i] as Trained).utterance.turn) ?? reward);
  return estimate(rows, rewards, groupIndex(items, config.groupBy), config, tokenPrice);
}

function estimate(
  rows: readonly ScoredRollout[],
  rewards: readonly number[],
  groups: Int32Array,
  config: TrainConfig,
  tokenPrice: number,
): AdvantageResult {
  const { advantage } = config;
  switch (advantage.estimator) {
    case "group":
      return groupAdvantages(rewards, groups, advantage);
    case "rloo":
      return rloo(rewards, groups);
    case "raw":
      return rawRewards(rewards, groups);
    case "decoupled": {
      const { prices, options } = pricingOf(config, tokenPrice);
      const measured = rows.map((row) => row.measured);
      return decoupledAdvantages(measured, groups, { ...advantage, ...options, weights: prices });
    }
  }
}
