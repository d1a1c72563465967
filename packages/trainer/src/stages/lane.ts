import { dualController, type BudgetState } from "@laconic/budget";
import {
  LaconicError,
  type AgentId,
  statisticOf,
  type Objective,
  type Ragged,
  type Random,
  type Sampler,
} from "@laconic/core";
import { objectivePreset } from "@laconic/gspo/presets";
import type { TrainConfig } from "../config.ts";
import type { TrainedPolicy, TrainingParts } from "../parts.ts";
import { measurementOf } from "./measurement.ts";
import { oldLogProbsOf, type OldLogProbs } from "./old-log-probs.ts";
import { importanceWeights } from "./pipeline.ts";
import { score, type ScoredRollout } from "./score.ts";
import { trainingBatch, type TrainingBatch } from "./training-batch.ts";
import type { TreeCredits } from "./tree-rollout.ts";
import { update, type UpdateResult } from "./update.ts";

/** One policy's way through a step: its own settings, objective and price where it has them. */
export interface Lane {
  readonly name: string;
  readonly policy: TrainedPolicy;
  readonly agents: ReadonlySet<AgentId>;
  readonly config: TrainConfig;
  readonly objective: Objective;
  /** Eq. 5 over the words of its own agents; null where the team's price holds. */
  readonly controller: ReturnType<typeof dualController> | null;
  /** Its rewards charge the words of its own agents alone. */
  readonly paysForItself: boolean;
}

/** @throws LaconicError `config_invalid` for settings of a policy that does not exist, or that objective or budget refuse */
export function lanesOf({ policies }: TrainingParts, config: TrainConfig): Lane[] {
  const settings = laneSettings(Object.keys(policies), config);
  return Object.entries(policies).map(([name, policy]) => ({
    name,
    policy,
    agents: new Set(policy.agents),
    ...(settings[name] as LaneSettings),
  }));
}

type LaneSettings = Pick<Lane, "config" | "objective" | "controller" | "paysForItself">;

/** Settings of each policy, over the run's. Throws as {@link lanesOf} does. */
export function laneSettings(names: readonly string[], config: TrainConfig): Readonly<Record<string, LaneSettings>> {
  for (const name of Object.keys(config.policies))
    if (!names.includes(name))
      throw new LaconicError(
        "config_invalid",
        `policies.${name}: there is no such policy; this run has ${names.join(", ")}`,
        { key: `policies.${name}` },
      );
  return Object.fromEntries(
    names.map((name): [string, LaneSettings] => {
      const own = Object.hasOwn(config.policies, name) ? (config.policies[name] ?? {}) : {};
      const { learningRate, ...rest } = own;
      const merged: TrainConfig = {
        ...config,
        ...rest,
        ...(learningRate && { optimizer: { ...config.optimizer, learningRate } }),
      };
      const { name: objectiveName, ...settings } = merged.objective;
      return [
        name,
        {
          config: merged,
          objective: objectivePreset(objectiveName, settings),
          controller: own.budget ? dualController(own.budget) : null,
          paysForItself: own.budget !== undefined || own.prices !== undefined,
        },
      ];
    }),
  );
}

/** What a policy learned in a step. */
export interface LaneResult {
  readonly lane: Lane;
  readonly scored: readonly ScoredRollout[];
  readonly batch: TrainingBatch;
  readonly gap: OldLogProbs["gap"];
  readonly update: UpdateResult;
  readonly tokenPrice: number;
}

/** A step as one policy goes through it: its rewards, its advantages, its optimiser steps. */
export async function takeLane(
  lane: Lane,
  facts: {
    readonly scored: readonly ScoredRollout[];
    readonly grader: TrainingParts["task"]["grader"];
    /** The team's λ. */
    readonly teamPrice: number;
    readonly budget: BudgetState | null;
    readonly credits?: TreeCredits | undefined;
    /** Steps that the sampled weights are behind. */
    readonly lag: number;
    readonly oldPolicy: Sampler;
    readonly reference: Sampler | null;
    readonly step: number;
    readonly random: Random;
    readonly lap: (phase: string) => void;
  },
): Promise<LaneResult> {
  const { config, objective, policy, agents, paysForItself } = lane;
  const { grader, credits, lag, oldPolicy, reference, step, random, lap } = facts;
  const tokenPrice = paysForItself ? (facts.budget?.price ?? config.prices.tokens ?? 0) : facts.teamPrice;
  const scored = paysForItself ? score(facts.scored, grader, config, tokenPrice, agents) : facts.scored;
  const sampled = trainingBatch(scored, config, agents, tokenPrice, credits);
  const { logProbs: oldLogProbs, gap } = await oldLogProbsOf(config, oldPolicy, sampled);
  const batch = lag === 0 ? sampled : weighted(sampled, oldLogProbs, config.asynchronous?.importanceCap ?? 1);
  const refLogProbs = reference && (await reference.forward(batch.sequences)).logProbs;
  lap("old_log_probs");
  const updated = await update(
    { model: policy.model, config, objective, batch, oldLogProbs, refLogProbs, step },
    random,
  );
  lap("update");
  return { lane, scored, batch, gap, update: updated, tokenPrice };
}

/** Eq. 5 for a policy with a budget of its own. */
export function moveBudget({ lane, scored }: LaneResult, budget: BudgetState | null): BudgetState | null {
  return lane.controller && budget ? lane.controller.step(budget, measurementOf(scored)).state : budget;
}

/** Advantages by how much likelier their replies have become since they were sampled. */
function weighted(batch: TrainingBatch, oldLogProbs: Ragged, cap: number): TrainingBatch {
  const weights = importanceWeights(oldLogProbs, batch.sampledLogProbs, cap);
  return {
    ...batch,
    advantages: batch.advantages.map((advantage, s) => advantage * (weights[s] as number)),
    diagnostics: { ...batch.diagnostics, importance_weight: statisticOf(weights) },
  };
}
