import {
  LaconicError,
  ragged,
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

/** One training sequence per trained utterance, each with its episode's advantage. */
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

/** @throws LaconicError `input_invalid` when a trained agent's model reports no token trace. */
export function trainingBatch(
  scored: readonly ScoredRollout[],
  config: TrainConfig,
  trainedAgents: ReadonlySet<string>,
  tokenPrice: number,
): TrainingBatch {
  const spoken = scored.flatMap(({ episode }, index) => spokenBy(trainedAgents, episode.utterances, index));
  const trained = spoken.filter(({ trace }) => trace.tokens.length > 0);
  const problemOf = (episode: number): number => Math.floor(episode / config.episodesPerProblem);
  const { advantages, diagnostics } = advantagesOf(scored, trained, config, tokenPrice);
  return {
    sequences: trained.map(({ trace }) => ({
      promptTokens: trace.promptTokens,
      completionTokens: trace.tokens,
      temperature: config.sampling.temperature,
    })),
    utterances: trained.map(({ utterance }) => utterance),
    episodes: Int32Array.from(trained, ({ episode }) => episode),
    problems: Int32Array.from(trained, ({ episode }) => problemOf(episode)),
    advantages,
    sampledLogProbs: ragged(trained.map(({ trace }) => trace.logProbs)),
    empty: spoken.length - trained.length,
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

/** Eq. 2 over episodes of a prompt, or over utterances where the key names agents or turns. */
function advantagesOf(
  scored: readonly ScoredRollout[],
  trained: readonly Trained[],
  config: TrainConfig,
  tokenPrice: number,
): AdvantageResult {
  const problem = (episode: number): number => Math.floor(episode / config.episodesPerProblem);
  if (config.groupBy === "prompt") {
    const groups = Int32Array.from(scored, (_, episode) => problem(episode));
    const { advantages, diagnostics } = estimate(scored, groups, config, tokenPrice);
    return { advantages: Float64Array.from(trained, ({ episode }) => advantages[episode] as number), diagnostics };
  }
  const items = trained.map(({ utterance, episode }) => ({
    problem: problem(episode),
    agent: utterance.agent,
    turn: utterance.turn,
  }));
  const rows = trained.map(({ episode }) => scored[episode] as ScoredRollout);
  return estimate(rows, groupIndex(items, config.groupBy), config, tokenPrice);
}

function estimate(
  rows: readonly ScoredRollout[],
  groups: Int32Array,
  config: TrainConfig,
  tokenPrice: number,
): AdvantageResult {
  const { advantage } = config;
  const rewards = rows.map(({ reward }) => reward);
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
