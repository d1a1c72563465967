import type { PriceState } from "@laconic/budget";
import {
  asEstimator,
  LaconicError,
  type AgentId,
  type Estimator,
  type Grouping,
  type Objective,
  type PolicyNeedKey,
  type Ragged,
  type Random,
  type Sampler,
  type Schedule,
} from "@laconic/core";
import { withImportance } from "@laconic/gspo";
import { objectivePreset } from "@laconic/gspo/presets";
import { costPreset, equation1Costs, type Costs, type Prices } from "@laconic/rewards";
import type { TrainConfig } from "../settings/config.ts";
import { estimatorOf } from "../estimator-of.ts";
import type { PartsOutline, TrainedPolicy, TrainingParts } from "../parts.ts";
import { checkedEstimator, checkedGrouping, checkedObjective } from "./checked-values.ts";
import { measurementOf } from "./measurement.ts";
import { needsOldPass, oldLogProbsOf, oldLogProbsOfUpdate, type OldLogProbs } from "./old-log-probs.ts";
import { policyLogProbsOf, type PolicySamplers } from "./policy-needs.ts";
import { namedController, ownController, type PricedController } from "./price-controllers.ts";
import { score, type Pricing, type ScoredRollout } from "./score.ts";
import { trainingBatch, type TrainingBatch } from "./training-batch.ts";
import type { RolloutTree } from "./rollout.ts";
import { treeCredits } from "./tree-rollout.ts";
import { update, type UpdateResult } from "./update.ts";

/** One policy with its own settings, objective, estimator and price where it has them. */
export interface Learner extends LearnerSettings {
  readonly name: string;
  readonly policy: TrainedPolicy;
  readonly agents: ReadonlySet<AgentId>;
}

/** What a policy learns by. */
export interface LearnerSettings {
  readonly config: TrainConfig;
  readonly objective: Objective;
  readonly estimator: Estimator;
  /** The user's own, in place of `groupBy`. */
  readonly grouping?: Grouping | undefined;
  readonly costs: Costs;
  /** Eq. 5 over the words of its own agents; null where the team's price holds. */
  readonly controller: PricedController | null;
  /** The user's own, over optimiser steps. */
  readonly learningRate?: Schedule | undefined;
  /** Its rewards charge the words of its own agents alone. */
  readonly hasOwnBudget: boolean;
}

/** @throws LaconicError `config_invalid` for settings of a policy that does not exist, or that objective or budget refuse */
export function learnersOf(parts: TrainingParts, config: TrainConfig): Learner[] {
  const settings = learnerSettings(parts, config);
  checkExamples(parts, config);
  return Object.entries(parts.policies).map(([name, policy]) => ({
    name,
    policy,
    agents: new Set(policy.agents),
    ...(settings[name] as LearnerSettings),
  }));
}

/** @throws LaconicError `config_invalid` for settings without examples, and examples without settings */
function checkExamples({ policies }: Pick<TrainingParts, "policies">, { supervised }: TrainConfig): void {
  const has = Object.values(policies).some(({ examples }) => examples !== undefined);
  if (has === (supervised !== null)) return;
  throw new LaconicError(
    "config_invalid",
    has
      ? "supervised: null leaves the examples of the policies unused; set it, or remove them"
      : "supervised.examples: there are none to learn; name a file, a list or a function, or set supervised to null",
    { key: "supervised" },
  );
}

/** Settings of each policy, over the run's. Throws as {@link learnersOf} does. */
export function learnerSettings(
  parts: Pick<PartsOutline, "policies" | "costs" | "estimator" | "objective" | "grouping" | "learningRate">,
  config: TrainConfig,
): Readonly<Record<string, LearnerSettings>> {
  const names = Object.keys(parts.policies);
  for (const name of Object.keys(config.policies))
    if (!names.includes(name))
      throw new LaconicError(
        "config_invalid",
        `policies.${name}: there is no such policy; this run has ${names.join(", ")}`,
        { key: `policies.${name}` },
      );
  const costs = parts.costs ?? costsOf(config);
  return Object.fromEntries(
    Object.entries(parts.policies).map(([name, policy]): [string, LearnerSettings] => {
      const own = Object.hasOwn(config.policies, name) ? (config.policies[name] ?? {}) : {};
      const { learningRate, optimizer, ...rest } = own;
      const merged: TrainConfig = {
        ...config,
        ...rest,
        ...(parts.grouping && { groupBy: rowsOfOwnGroups }),
        optimizer: { ...config.optimizer, ...optimizer, ...(learningRate && { learningRate }) },
      };
      checkPriced(merged, costs, own.budget !== undefined || own.prices !== undefined ? `policies.${name}.` : "");
      const { name: objectiveName, ...options } = merged.objective;
      const estimator = policy.estimator ?? parts.estimator;
      return [
        name,
        {
          config: merged,
          objective: policy.objective ?? parts.objective ?? objectivePreset(objectiveName, options),
          estimator: estimator ? asEstimator(estimator) : estimatorOf(merged),
          grouping: parts.grouping,
          costs,
          learningRate: policy.learningRate ?? (learningRate ? undefined : parts.learningRate),
          controller: policy.budget
            ? ownController(policy.budget, `of policy ${name}`)
            : own.budget
              ? namedController(own.budget)
              : null,
          hasOwnBudget: own.budget !== undefined || own.prices !== undefined || policy.budget !== undefined,
        },
      ];
    }),
  );
}

/** Utterances, whose advantages may all differ. */
const rowsOfOwnGroups = "prompt+agent+turn";

/** Costs that the configuration names; those of Eq. 1 when it names none. */
export function costsOf({ costs }: Pick<TrainConfig, "costs">): Costs {
  return costs === null
    ? equation1Costs
    : Object.fromEntries(
        Object.entries(costs).map(([name, settings]) => [name, costPreset(settings, `costs.${name}`)]),
      );
}

function checkPriced({ prices, budget, budgets }: TrainConfig, costs: Costs, place: string): void {
  const priced = [
    ...Object.keys(prices).map((name) => [`${place}prices.${name}`, name] as const),
    ...Object.keys(budgets).map((name) => [`budgets.${name}`, name] as const),
    ...(budget ? [[`${place}budget`, "tokens"] as const] : []),
  ];
  for (const [key, name] of priced)
    if (!Object.hasOwn(costs, name))
      throw new LaconicError(
        "config_invalid",
        `${key}: there is no cost "${name}"; the costs are ${Object.keys(costs).join(", ")}`,
        { key },
      );
}

/** What a policy learned in a step. */
export interface LearnerResult {
  readonly learner: Learner;
  readonly scored: readonly ScoredRollout[];
  readonly batch: TrainingBatch;
  readonly gap: OldLogProbs["gap"];
  readonly oldLogProbs: Ragged;
  readonly update: UpdateResult;
  /** λ of each cost as this policy was charged. */
  readonly prices: Prices;
  readonly tokenPrice: number;
  /** log π_ref of the batch, where the policy of the beginning is kept. */
  readonly refLogProbs: Ragged | null;
  /** Of other policies, where the objective compares with them. */
  readonly policyLogProbs: Readonly<Record<PolicyNeedKey, Ragged>> | null;
}

/** What a step gives to each policy. */
export interface StepFacts {
  readonly scored: readonly ScoredRollout[];
  /** λ of the team's costs. */
  readonly teamPrices: Prices;
  readonly budget: PriceState | null;
  readonly estimatorState: unknown;
  readonly trees?: readonly RolloutTree[] | undefined;
  /** Most steps that the weights of a group are behind. */
  readonly lag: number;
  readonly oldPolicy: Sampler;
  /** That the step was sampled at. */
  readonly temperature: number;
  readonly reference: Sampler | null;
  readonly samplerOf: PolicySamplers;
  readonly step: number;
  readonly random: Random;
  readonly lap: (phase: string) => void;
  /** Between pieces of work: lets others have their turn, where others wait. */
  readonly turn: () => Promise<void>;
}

/** A step as one policy goes through it: its rewards, its advantages, its optimiser steps. */
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
    groupBy: config.groupBy,
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

/** What the team or a policy is charged in a step. */
export function pricingOf({ config, costs }: Pick<LearnerSettings, "config" | "costs">, prices: Prices): Pricing {
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

/**
 * The objective with what corrects, sequence by sequence, for older samples: their weights differ from the old policy's. Where
 * all log-probs of a minibatch are equal, every weight is 1: then it is the objective as it is.
 */
function correctedFor({ config: { asynchronous }, objective }: Learner, lag: number): Objective {
  if (asynchronous === null || lag === 0) return objective;
  const { importanceCap: cap } = asynchronous;
  const corrected = withImportance(objective, { kind: "truncate", level: "geometric", cap });
  return {
    ...corrected,
    evaluate: (input) => ((input.totals?.samplerGap ?? 0) > 0 ? corrected : objective).evaluate(input),
  };
}

/** Eq. 5 for a policy with a budget of its own. */
export function moveBudget({ learner, scored }: LearnerResult, budget: PriceState | null): PriceState | null {
  return learner.controller && budget ? learner.controller.step(budget, measurementOf(scored)).state : budget;
}

/** Whether the objective compares with the policy before the first step. */
export function needsReference({ objective }: Pick<LearnerSettings, "objective">): boolean {
  return objective.needs?.includes("reference") ?? false;
}
