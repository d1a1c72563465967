import { LaconicError, nearestName, type Objective, type PolicyNeed } from "@laconic/core";
import type { PartsOutline } from "./parts.ts";

export function policyNeedsOf(objectives: readonly Pick<Objective, "needs">[]): PolicyNeed[] {
  return objectives.flatMap(({ needs = [] }) => needs.filter((need) => need !== "reference"));
}

/** @throws LaconicError `config_invalid` for a missing policy, an unused teacher, or one with a policy's name */
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
