import type { PriceState } from "@laconic/budget";
import type { Objective, PolicyNeedKey, Ragged, Random, Sampler } from "@laconic/core";
import { withImportance } from "@laconic/gspo";
import type { Prices } from "@laconic/rewards";
import type { Learner } from "../spec/learning.ts";
import { checkedEstimator, checkedGrouping, checkedObjective } from "./checked-values.ts";
import { measurementOf, score, type Pricing, type ScoredRollout } from "./score.ts";
import {
  needsOldPass,
  oldLogProbsOf,
  oldLogProbsOfUpdate,
  type OldLogProbs,
  policyLogProbsOf,
  type PolicySamplers,
} from "./old-log-probs.ts";
import { trainingBatch, type TrainingBatch } from "./training-batch.ts";
import type { RolloutTree } from "../rollout.ts";
import { treeCredits } from "./tree-rollout.ts";
import { update, type UpdateResult } from "./update.ts";

export interface LearnerResult {
  readonly learner: Learner;
  readonly scored: readonly ScoredRollout[];
  readonly batch: TrainingBatch;
  readonly gap: OldLogProbs["gap"];
  readonly oldLogProbs: Ragged;
  readonly update: UpdateResult;
  readonly prices: Prices;
  readonly tokenPrice: number;
  /** Log π_ref, if the first policy is stored. */
  readonly refLogProbs: Ragged | null;
  readonly policyLogProbs: Readonly<Record<PolicyNeedKey, Ragged>> | null;
}

export interface StepFacts {
  readonly scored: readonly ScoredRollout[];
  readonly teamPrices: Prices;
  readonly budget: PriceState | null;
  readonly estimatorState: unknown;
  readonly trees?: readonly RolloutTree[] | undefined;
  readonly lag: number;
  readonly oldPolicy: Sampler;
  readonly temperature: number;
  readonly reference: Sampler | null;
  readonly samplerOf: PolicySamplers;
  readonly step: number;
  readonly random: Random;
  readonly lap: (phase: string) => void;
  /** Yields to the event loop (asynchronous runs only). */
  readonly turn: () => Promise<void>;
}

/** Runs a policy's part of a step: rewards, advantages, updates. */
export async function learn(learner: Learner, facts: StepFacts): Promise<LearnerResult> {
  const { config, estimator, policy, agents, hasOwnBudget } = learner;
  const { trees, oldPolicy, reference, step, random, lap, turn } = facts;
  const prices = hasOwnBudget
    ? { ...config.prices, tokens: facts.budget?.price ?? config.prices.tokens ?? 0 }
    : facts.teamPrices;
  const pricing = pricingOf(learner, prices);
  const scored = hasOwnBudget ? score(facts.scored, pricing, agents) : facts.scored;
  await turn();
  const batch = await trainingBatch(scored, facts.temperature, agents, {
    estimator: checkedEstimator(estimator, step + 1),
    state: facts.estimatorState,
    groupBy: learner.groupBy,
    weightBy: config.weightBy,
    grouping: learner.grouping && checkedGrouping(learner.grouping, step + 1),
    prices,
    credits:
      config.tree && trees
        ? treeCredits(trees, config.tree.gamma, pricing, hasOwnBudget ? agents : undefined)
        : undefined,
  });
  await turn();
  const isOwn = config.oldLogProbs === "recompute" && !needsOldPass(config);
  const old = isOwn ? null : await oldLogProbsOf(config, oldPolicy, batch);
  await turn();
  const objective = checkedObjective(correctedFor(learner, facts.lag), step + 1);
  const refLogProbs = reference && (await reference.forward(batch.sequences)).logProbs;
  const policyLogProbs = await policyLogProbsOf(objective, facts.samplerOf, batch.sequences);
  lap("old_log_probs");
  const updated = await update(
    {
      model: policy.model,
      learningRate: learner.learningRate,
      examples: policy.examples,
      config,
      objective,
      batch,
      oldLogProbs: old?.logProbs ?? null,
      refLogProbs,
      policyLogProbs,
      step,
      turn,
    },
    random,
  );
  lap("update");
  await turn();
  const { logProbs: oldLogProbs, gap } = old ?? oldLogProbsOfUpdate(updated, batch);
  const logProbs = { oldLogProbs, refLogProbs, policyLogProbs };
  return { learner, scored, batch, gap, ...logProbs, update: updated, prices, tokenPrice: prices["tokens"] ?? 0 };
}

export function pricingOf({ config, costs }: Pick<Learner, "config" | "costs">, prices: Prices): Pricing {
  const { costWhenTaskAtLeast, credit, opponents } = config;
  const known = Object.fromEntries(Object.entries(prices).filter(([name]) => Object.hasOwn(costs, name)));
  return {
    costs,
    prices: known,
    credit,
    ...(opponents && { ofOpponents: opponents.priced }),
    ...(costWhenTaskAtLeast !== undefined && { costWhenTaskAtLeast }),
  };
}

/** Adds sequence weights for stale samples. Equal log-probs give weights of 1, so the objective is unchanged. */
function correctedFor({ config: { asynchronous }, objective }: Learner, lag: number): Objective {
  if (asynchronous === null || lag === 0) return objective;
  const { importanceCap: cap } = asynchronous;
  const corrected = withImportance(objective, { kind: "truncate", level: "geometric", cap });
  return {
    ...corrected,
    evaluate: (input) => ((input.totals?.samplerGap ?? 0) > 0 ? corrected : objective).evaluate(input),
  };
}

export function moveBudget({ learner, scored }: LearnerResult, budget: PriceState | null): PriceState | null {
  return learner.controller && budget ? learner.controller.step(budget, measurementOf(scored)).state : budget;
}

/** True if the objective uses the policy before the first step. */
export function needsReference({ objective }: Pick<Learner, "objective">): boolean {
  return objective.needs?.includes("reference") ?? false;
}
