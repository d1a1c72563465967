import { configError } from "@laconic/core";
import { checkChoice, checkOption } from "../check-option.ts";
import { deviation, perGroup, rewardGroups, type AdvantageResult, type Column, type RewardGroup } from "./groups.ts";

export const advantageScales = ["none", "group", "batch"] as const;
export const deviationForms = ["sample", "population"] as const;
export const epsilonForms = ["add", "clamp"] as const;

/** Conventions of libraries. */
export interface GroupAdvantageOptions {
  readonly scale: (typeof advantageScales)[number];
  /** Divides by n - 1 or n under the root. */
  readonly std?: (typeof deviationForms)[number];
  /** Added to the deviation, or its lower bound. */
  readonly epsilon?: number;
  readonly epsilonForm?: (typeof epsilonForms)[number];
}

/** Conventions of known libraries. */
export const groupAdvantageConventions: Readonly<
  Record<"agent-gspo" | "trl" | "trl-batch" | "verl" | "comlrl" | "dr-grpo", GroupAdvantageOptions>
> = {
  /** Eq. 2; the paper specifies neither convention nor ε. */
  "agent-gspo": { scale: "group", std: "sample", epsilon: 1e-6 },
  /** `scale_rewards="group"`. */
  trl: { scale: "group", std: "sample", epsilon: 1e-4 },
  /** `scale_rewards="batch"`. */
  "trl-batch": { scale: "batch", std: "sample", epsilon: 1e-4 },
  /** Also SkyRL and Dr.MAS. */
  verl: { scale: "group", std: "sample", epsilon: 1e-6 },
  comlrl: { scale: "group", std: "population", epsilon: 1e-6, epsilonForm: "clamp" },
  /** Also MAGRPO and tinker-cookbook. */
  "dr-grpo": { scale: "none" },
};

/**
 * (r - mean) / (std + ε) within each group (Agent-GSPO Eq. 2; GRPO), or without the division (Dr.GRPO, MAGRPO). Groups
 * of one, or of equal rewards, get exactly 0 and are counted.
 * @param rewards - [S], finite, or NaN if not applicable
 * @param groups - group id per sequence, [S]
 * @param weights - weight of each reward in mean and deviation, [S]; default 1
 * @example groupAdvantages([0, 1], [0, 0], { scale: "none" }).advantages // [-0.5, 0.5]
 */
export function groupAdvantages(
  rewards: Column,
  groups: Column,
  options: GroupAdvantageOptions,
  weights?: Column,
): AdvantageResult {
  const { scale, std = "sample", epsilon = 1e-6, epsilonForm = "add" } = options;
  checkChoice("advantage: scale", scale, advantageScales);
  checkChoice("advantage: std", std, deviationForms);
  checkChoice("advantage: epsilonForm", epsilonForm, epsilonForms);
  if (scale === "none" && (options.std ?? options.epsilon ?? options.epsilonForm) !== undefined)
    throw configError("advantage: std, epsilon and epsilonForm have no effect with scale none");
  checkOption(epsilon >= 0, "advantage: epsilon", epsilon, ">= 0");
  const divisor = (sigma: number) => (epsilonForm === "add" ? sigma + epsilon : Math.max(sigma, epsilon));
  const sigmaOf = (all: RewardGroup) => deviation(all.rewards, std, all.weights);
  const batch = rewardGroups(rewards, new Int32Array(rewards.length), weights)[0];
  return perGroup(rewards, groups, weights, (group) => {
    const by = scale === "none" ? 1 : divisor(sigmaOf(scale === "batch" && batch ? batch : group));
    return group.rewards.map((reward) => (reward - group.mean) / by);
  });
}
