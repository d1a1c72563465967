import { ragged, type Diagnostics, type Ragged, type TrainingSequence, type Utterance } from "@laconic/core";
import { groupAdvantages, groupIndex, rawRewards, rloo, type AdvantageResult } from "@laconic/gspo";
import type { AdvantageSettings, TrainConfig } from "../config.ts";
import type { ScoredRollout } from "./score.ts";

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
  readonly diagnostics: Diagnostics;
}

interface Trained {
  readonly utterance: Utterance;
  readonly episode: number;
}

export function trainingBatch(
  scored: readonly ScoredRollout[],
  config: TrainConfig,
  trainedAgents: ReadonlySet<string>,
): TrainingBatch {
  const trained = scored.flatMap(({ episode }, index): Trained[] =>
    episode.utterances
      .filter((utterance) => trainedAgents.has(utterance.agent) && (utterance.trace?.tokens.length ?? 0) > 0)
      .map((utterance) => ({ utterance, episode: index })),
  );
  const problemOf = (episode: number): number => Math.floor(episode / config.episodesPerProblem);
  const { advantages, diagnostics } = advantagesOf(scored, trained, config);
  return {
    sequences: trained.map(({ utterance }) => ({
      promptTokens: utterance.trace?.promptTokens ?? [],
      completionTokens: utterance.trace?.tokens ?? [],
      temperature: config.sampling.temperature,
    })),
    utterances: trained.map(({ utterance }) => utterance),
    episodes: Int32Array.from(trained, ({ episode }) => episode),
    problems: Int32Array.from(trained, ({ episode }) => problemOf(episode)),
    advantages,
    sampledLogProbs: ragged(trained.map(({ utterance }) => utterance.trace?.logProbs ?? [])),
    diagnostics,
  };
}

/** Eq. 2 over episodes of a prompt, or over utterances where the key names agents or turns. */
function advantagesOf(
  scored: readonly ScoredRollout[],
  trained: readonly Trained[],
  config: TrainConfig,
): AdvantageResult {
  const problem = (episode: number): number => Math.floor(episode / config.episodesPerProblem);
  if (config.groupBy === "prompt") {
    const rewards = scored.map(({ reward }) => reward);
    const groups = Int32Array.from(scored, (_, episode) => problem(episode));
    const { advantages, diagnostics } = estimate(config.advantage, rewards, groups);
    return { advantages: Float64Array.from(trained, ({ episode }) => advantages[episode] as number), diagnostics };
  }
  const items = trained.map(({ utterance, episode }) => ({
    problem: problem(episode),
    agent: utterance.agent,
    turn: utterance.turn,
  }));
  const rewards = trained.map(({ episode }) => (scored[episode] as ScoredRollout).reward);
  return estimate(config.advantage, rewards, groupIndex(items, config.groupBy));
}

function estimate(settings: AdvantageSettings, rewards: readonly number[], groups: Int32Array): AdvantageResult {
  switch (settings.estimator) {
    case "group": {
      const { estimator: _, ...options } = settings;
      return groupAdvantages(rewards, groups, options);
    }
    case "rloo":
      return rloo(rewards, groups);
    case "raw":
      return rawRewards(rewards, groups);
  }
}
