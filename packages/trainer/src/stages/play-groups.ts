import type { Problem, Random } from "@laconic/core";
import type { TrainConfig } from "../config.ts";
import { modelsOf, type Samplers, type TrainingParts } from "../parts.ts";
import { episodeGame, type GameOptions } from "./episode-game.ts";
import { playAll, type GroupGame, type GroupPlace, type SampledGroup } from "./group-game.ts";
import { treeGame } from "./tree-rollout.ts";

/** A problem's group: its episodes, or its tree. */
export function groupGame(
  parts: TrainingParts,
  config: TrainConfig,
  options: GameOptions,
  place: GroupPlace,
): GroupGame {
  return config.tree
    ? treeGame(parts, config, config.tree, options.score, place)
    : episodeGame(parts, config, options, place);
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
