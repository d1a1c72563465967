import type { Estimator } from "@laconic/core";
import { estimatorPreset, type EstimatorName, type EstimatorOptions } from "@laconic/gspo/presets";
import { decoupledEstimator } from "@laconic/rewards";
import type { TrainConfig } from "./settings/config.ts";

/**
 * The estimator that a configuration names.
 * @throws LaconicError `config_invalid` for a setting that it does not take, or one out of range.
 */
export function estimatorOf({
  advantage,
  costWhenTaskAtLeast,
}: Pick<TrainConfig, "advantage" | "costWhenTaskAtLeast">): Estimator {
  if (advantage.estimator === "decoupled") {
    const { estimator: _, ...options } = advantage;
    return decoupledEstimator({ ...options, ...(costWhenTaskAtLeast !== undefined && { costWhenTaskAtLeast }) });
  }
  const { estimator, ...options } = advantage;
  return estimatorPreset(estimator, options as EstimatorOptions[EstimatorName]);
}
