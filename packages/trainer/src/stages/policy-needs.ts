import {
  LaconicError,
  nearestName,
  policyNeedKey,
  type Objective,
  type PolicyNeed,
  type PolicyNeedKey,
  type Ragged,
  type Sampler,
  type TrainingSequence,
} from "@laconic/core";
import type { PartsOutline, Samplers, TrainingParts } from "../parts.ts";

/** What objectives ask of other policies. */
export function policyNeedsOf(objectives: readonly Pick<Objective, "needs">[]): PolicyNeed[] {
  return objectives.flatMap(({ needs = [] }) => needs.filter((need) => need !== "reference"));
}

/**
 * @throws LaconicError `config_invalid` for an objective that needs a policy that does not exist, or a teacher that is called like a
 * policy or that nothing needs
 */
export function checkPolicyNeeds(
  { policies, teachers = {} }: Pick<PartsOutline, "policies" | "teachers">,
  objectives: readonly Objective[],
): void {
  const twice = Object.keys(teachers).find((name) => Object.hasOwn(policies, name));
  if (twice !== undefined)
    throw new LaconicError("config_invalid", `teachers.${twice}: a policy has this name; choose another`, {
      key: `teachers.${twice}`,
    });
  const needed = policyNeedsOf(objectives).map(({ policy }) => policy);
  const idle = Object.keys(teachers).find((name) => !needed.includes(name));
  if (idle !== undefined)
    throw new LaconicError(
      "config_invalid",
      `teachers.${idle}: no objective compares with it; name it in objective.kl.to, or remove it`,
      { key: `teachers.${idle}` },
    );
  const known = [...Object.keys(policies), ...Object.keys(teachers)];
  for (const objective of objectives)
    for (const { policy } of policyNeedsOf([objective])) {
      if (known.includes(policy)) continue;
      const near = nearestName(policy, known);
      throw new LaconicError(
        "config_invalid",
        `the objective ${objective.name} needs the policy "${policy}", and this run has ${known.join(", ")}${near === undefined ? "" : `; did you mean ${near}?`}`,
        { value: "objective", policy },
      );
    }
}

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
