import type { PriceState } from "@laconic/budget";
import type { Learned, Objective, PolicyNeedKey, Ragged, Random } from "@laconic/core";
import { withImportance } from "@laconic/gspo";
import type { Prices, ScoreCounts } from "@laconic/rewards";
import { policyNeedsOf, type Learner } from "../spec/learning.ts";
import type { Samplers } from "../spec/parts.ts";
import type { RunSpec } from "../spec/run-spec.ts";
import { checkedEstimator, checkedGrouping, checkedObjective } from "./checked-values.ts";
import type { TakenGroups } from "./group-rollout.ts";
import { needsOldPass, oldLogProbsOf, oldLogProbsOfUpdate, policyLogProbsOf, policySamplers } from "./old-log-probs.ts";
import type { OldLogProbs } from "./old-log-probs.ts";
import { measurementOf, score, type Pricing, type ScoredRollout } from "./score.ts";
import { trainingBatch, type TrainingBatch } from "./training-batch.ts";
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

export interface LearningRun extends Pick<RunSpec, "parts" | "config" | "learners"> {
  /** Policies before the first step. */
  readonly references: Samplers;
  /** Yields to the event loop (asynchronous runs only). */
  readonly turn: () => Promise<void>;
}

export interface StepBatch extends TakenGroups {
  readonly scored: readonly ScoredRollout[];
  readonly scoring: ScoreCounts;
  readonly prices: Prices;
  readonly oldPolicies: Samplers;
  readonly temperature: number;
  readonly random: Random;
  readonly clock: { lap(phase: string): void };
}

/** Lines 7-10 for each policy: advantages by Eq. 2; ratios and objective by Eq. 3-4. */
export async function learn(run: LearningRun, state: Learned, batch: StepBatch): Promise<LearnerResult[]> {
  const { learners } = run;
  const results = new Map<Learner, LearnerResult>();
  const inTurn = async (some: readonly Learner[]): Promise<void> => {
    for (const learner of some) results.set(learner, await learnPolicy(run, state, batch, learner));
  };
  // An objective that compares policies needs them in a fixed order.
  const isComparing = policyNeedsOf(learners.map(({ objective }) => objective)).length > 0;
  const devices = isComparing ? [] : [...new Set(learners.map(({ policy }) => policy.device))];
  if (devices.length > 1)
    await allOf(devices.map((device) => inTurn(learners.filter(({ policy }) => policy.device === device))));
  else await inTurn(learners);
  return learners.map((learner) => results.get(learner)!);
}

/** Waits for all before the first error is thrown. */
async function allOf(tasks: readonly Promise<void>[]): Promise<void> {
  const settled = await Promise.allSettled(tasks);
  const failed = settled.find(({ status }) => status === "rejected");
  if (failed?.status === "rejected") throw failed.reason;
}

async function learnPolicy(
  { parts, config: { evaluation }, learners, references, turn }: LearningRun,
  { step, policyBudgets, estimators }: Learned,
  { trees, temperature, oldPolicies, lags, clock, ...sampled }: StepBatch,
  learner: Learner,
): Promise<LearnerResult> {
  const { name, config, estimator, policy, agents, hasOwnBudget } = learner;
  const prices = hasOwnBudget
    ? { ...config.prices, tokens: policyBudgets[name]?.price ?? config.prices.tokens ?? 0 }
    : sampled.prices;
  const pricing = pricingOf(learner, prices);
  const scored = hasOwnBudget ? score(sampled.scored, pricing, agents) : sampled.scored;
  await turn();
  const batch = await trainingBatch(scored, temperature, agents, {
    estimator: checkedEstimator(estimator, step + 1),
    state: estimators[name],
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
  const old = isOwn ? null : await oldLogProbsOf(config, oldPolicies[name] ?? policy.model, batch);
  await turn();
  const objective = checkedObjective(correctedFor(learner, Math.max(0, ...lags)), step + 1);
  const reference = evaluation.language || needsReference(learner) ? references[name] : undefined;
  const refLogProbs = reference ? (await reference.forward(batch.sequences)).logProbs : null;
  const samplerOf = policySamplers(parts, { first: references, old: oldPolicies });
  const policyLogProbs = await policyLogProbsOf(objective, samplerOf, batch.sequences);
  clock.lap("old_log_probs");
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
    sampled.random.split(learners.length === 1 ? "minibatches" : `minibatches/${name}`),
  );
  clock.lap("update");
  await turn();
  const { logProbs: oldLogProbs, gap } = old ?? oldLogProbsOfUpdate(updated, batch);
  const logProbs = { oldLogProbs, refLogProbs, policyLogProbs };
  return { learner, scored, batch, gap, ...logProbs, update: updated, prices, tokenPrice: prices["tokens"] ?? 0 };
}

export function pricingOf({ config, costs }: Pick<Learner, "config" | "costs">, prices: Prices): Pricing {
  const { costWhenTaskAtLeast, opponents } = config;
  const charged = Object.fromEntries(Object.entries(prices).filter(([name]) => Object.hasOwn(costs, name)));
  return {
    costs,
    prices: charged,
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

export function needsReference({ objective }: Pick<Learner, "objective">): boolean {
  return objective.needs?.includes("reference") ?? false;
}
