import {
  LaconicError,
  policyNeedKey,
  type Objective,
  type PolicyNeed,
  type PolicyNeedKey,
  type Ragged,
  type Sampler,
  type TrainingSequence,
} from "@laconic/core";
import type { Samplers, TrainingParts } from "../spec/parts.ts";
import { policyNeedsOf } from "../spec/policy-needs.ts";

/** Finds weights as they are at a time. */
export type PolicySamplers = (need: PolicyNeed) => Pick<Sampler, "forward">;

/** @param first - policies before the first step; `old` - as at the start of the step */
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

/** What an objective needs of others, over a batch. */
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
