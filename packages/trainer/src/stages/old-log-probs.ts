import {
  raggedSelect,
  statisticOf,
  type Ragged,
  type Sampler,
  type Statistic,
  LaconicError,
  policyNeedKey,
  type Objective,
  type PolicyNeed,
  type PolicyNeedKey,
  type TrainingSequence,
} from "@laconic/core";
import type { TrainConfig } from "../settings/config.ts";
import { importanceOf } from "../settings/named.ts";
import type { TrainingBatch } from "./training-batch.ts";
import type { UpdateResult } from "./update.ts";
import type { Samplers, TrainingParts } from "../spec/parts.ts";
import { policyNeedsOf } from "../spec/policy-needs.ts";

export interface OldLogProbs {
  readonly logProbs: Ragged;
  /** |trainer's - sampler's| log π_old per token; 0 for equal kernels. */
  readonly gap: Statistic;
}

/** Sequences forwarded to measure the gap if the sampler's log-probs are used. */
const probes = 8;

/**
 * Whether log π_old needs a pass over the whole batch. No pass is needed with the sampler's log-probs. Nor is it if the
 * step has one minibatch and its weights are those that sampled: the update's log-probs are then log π_old, and every
 * ratio is exactly 1. A pass is needed for later minibatches, for an older policy or older samples, and for weights
 * that depend on log π_old.
 */
export function needsOldPass(
  config: Pick<
    TrainConfig,
    "oldLogProbs" | "epochs" | "minibatches" | "refreshOldPolicyEvery" | "asynchronous" | "objective"
  >,
): boolean {
  const { oldLogProbs, epochs, minibatches, refreshOldPolicyEvery, asynchronous, objective } = config;
  const moves = epochs * minibatches > 1 || refreshOldPolicyEvery > 1 || asynchronous !== null;
  return oldLogProbs === "recompute" && (moves || importanceOf({ objective }) !== undefined);
}

/** log π_old if the update's only part ran with the weights that sampled it. */
export function oldLogProbsOfUpdate({ parts }: UpdateResult, { sampledLogProbs }: TrainingBatch): OldLogProbs {
  const [part] = parts;
  // No tokens, so no pass.
  if (!part) return { logProbs: sampledLogProbs, gap: gapBetween(sampledLogProbs, sampledLogProbs) };
  const places = new Map(part.rows.map((row, place) => [row, place]));
  const logProbs = raggedSelect(
    part.logProbs,
    part.rows.map((_, row) => places.get(row) as number),
  );
  return { logProbs, gap: gapBetween(logProbs, sampledLogProbs) };
}

/** log π_old by a forward pass, or from the sampler with a check of a few sequences. */
export async function oldLogProbsOf(
  config: TrainConfig,
  oldPolicy: Sampler,
  batch: TrainingBatch,
): Promise<OldLogProbs> {
  const sampled = batch.sampledLogProbs;
  const trusted = config.oldLogProbs === "sampler";
  const forwarded = await oldPolicy.forward(trusted ? batch.sequences.slice(0, probes) : batch.sequences);
  return { logProbs: trusted ? sampled : forwarded.logProbs, gap: gapBetween(forwarded.logProbs, sampled) };
}

function gapBetween({ values }: Ragged, sampled: Ragged): Statistic {
  const differences = new Float64Array(values.length);
  for (let i = 0; i < values.length; i++)
    differences[i] = Math.abs((values[i] as number) - (sampled.values[i] as number));
  return statisticOf(differences);
}

/** Returns a policy's weights at the required time. */
export type PolicySamplers = (need: PolicyNeed) => Pick<Sampler, "forward">;

/** @param first - policies before the first step; `old` - at the start of the step */
export function policySamplers(
  { policies, teachers = {} }: Pick<TrainingParts, "policies" | "teachers">,
  { first, old }: { readonly first: Samplers; readonly old: Samplers },
): PolicySamplers {
  return ({ policy, at }) => {
    const found =
      (Object.hasOwn(teachers, policy) ? teachers[policy] : undefined) ??
      { first: first[policy], old: old[policy], now: policies[policy]?.model }[at];
    if (found) return found;
    throw new LaconicError("input_invalid", `there are no weights of policy "${policy}" at ${at}`, { policy, at });
  };
}

export async function policyLogProbsOf(
  objective: Pick<Objective, "needs">,
  samplerOf: PolicySamplers,
  sequences: readonly TrainingSequence[],
): Promise<Readonly<Record<PolicyNeedKey, Ragged>> | null> {
  const needs = policyNeedsOf([objective]);
  if (needs.length === 0) return null;
  const found: Record<PolicyNeedKey, Ragged> = {};
  for (const need of needs) found[policyNeedKey(need)] ??= (await samplerOf(need).forward(sequences)).logProbs;
  return found;
}
