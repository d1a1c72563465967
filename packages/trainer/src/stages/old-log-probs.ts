import { inputError, policyNeedKey, raggedSelect, statisticOf } from "@laconic/core";
import type { Objective, PolicyNeed, PolicyNeedKey, Ragged, Sampler, Statistic, TrainingSequence } from "@laconic/core";
import type { TrainConfig } from "../settings/config.ts";
import { importanceOf } from "../settings/named.ts";
import type { TrainingBatch } from "./training-batch.ts";
import type { UpdateResult } from "./update.ts";
import type { Samplers, TrainingParts } from "../spec/parts.ts";
import { policyNeedsOf } from "../spec/learning.ts";

export interface OldLogProbs {
  readonly logProbs: Ragged;
  /** |trainer's - sampler's| log π_old per token; 0 for equal kernels. */
  readonly gap: Statistic;
}

/** Sequences that measure the gap of the sampler's log-probs. */
const probes = 8;

/**
 * True if log π_old needs a pass over the batch: for later minibatches, an older policy, older samples, or weights that
 * depend on log π_old. No pass is needed with the sampler's log-probs. A single minibatch with the sampling weights
 * needs none either: the update's log-probs are log π_old, and all ratios are exactly 1.
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

/** Old log-probs of an update whose only part ran with the sampling weights. */
export function oldLogProbsOfUpdate({ parts }: UpdateResult, { sampledLogProbs }: TrainingBatch): OldLogProbs {
  const [part] = parts;
  if (!part) return { logProbs: sampledLogProbs, gap: gapBetween(sampledLogProbs, sampledLogProbs) };
  const places = new Map(part.rows.map((row, index) => [row, index]));
  const logProbs = raggedSelect(
    part.logProbs,
    part.rows.map((_, row) => places.get(row)!),
  );
  return { logProbs, gap: gapBetween(logProbs, sampledLogProbs) };
}

/** Old log-probs by a forward pass, or the sampler's with a check of a few sequences. */
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
  for (let i = 0; i < values.length; i++) differences[i] = Math.abs(values[i]! - sampled.values[i]!);
  return statisticOf(differences);
}

export type PolicySamplers = (need: PolicyNeed) => Pick<Sampler, "forward">;

/** @param first - before the first step; `old` - at the start of the step */
export function policySamplers(
  { policies, teachers = {} }: Pick<TrainingParts, "policies" | "teachers">,
  { first, old }: { readonly first: Samplers; readonly old: Samplers },
): PolicySamplers {
  return ({ policy, at }) => {
    const match =
      (Object.hasOwn(teachers, policy) ? teachers[policy] : undefined) ??
      { first: first[policy], old: old[policy], now: policies[policy]?.model }[at];
    if (match) return match;
    throw inputError(`weights not found for policy "${policy}" at ${at}`, { policy, at });
  };
}

export async function policyLogProbsOf(
  objective: Pick<Objective, "needs">,
  samplerOf: PolicySamplers,
  sequences: readonly TrainingSequence[],
): Promise<Readonly<Record<PolicyNeedKey, Ragged>> | null> {
  const needs = policyNeedsOf([objective]);
  if (needs.length === 0) return null;
  const match: Record<PolicyNeedKey, Ragged> = {};
  for (const need of needs) match[policyNeedKey(need)] ??= (await samplerOf(need).forward(sequences)).logProbs;
  return match;
}
