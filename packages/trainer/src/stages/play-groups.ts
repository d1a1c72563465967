import type { Problem, Random } from "@laconic/core";
import type { TrainConfig } from "../config.ts";
import { modelsOf, type Samplers, type TrainingParts } from "../parts.ts";
import { episodeRollout, type GameOptions } from "./episode-rollout.ts";
import { playAll, type GroupRollout, type GroupPlace, type SampledGroup } from "./group-rollout.ts";
import { treeRollout } from "./tree-rollout.ts";

/** A problem's group: its episodes, or its tree. */
export function groupGame(
  parts: TrainingParts,
  config: TrainConfig,
  options: GameOptions,
  place: GroupPlace,
): GroupRollout {
  return config.tree
    ? treeRollout(parts, config, config.tree, options.score, place)
    : episodeRollout(parts, config, options, place);
}

/** The groups of a step under the samplers' weights, all at once. */
export async function rollout(
  parts: TrainingParts,
  config: TrainConfig,
  options: GameOptions,
  samplers: Samplers,
  problems: readonly Problem[],
  random: Random,
): Promise<SampledGroup> {
  const models = modelsOf(parts, samplers);
  return playAll(
    problems.map((problem, group) => groupGame(parts, config, options, { models, problem, group, random })),
  );
}
