import type { Problem } from "@laconic/core";
import type { TrainConfig } from "../settings/config.ts";
import type { OpponentOf } from "../opponents/games.ts";
import type { TrainingParts } from "../spec/parts.ts";
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
    ? treeRollout(parts, config, config.tree, options, place)
    : episodeRollout(parts, config, options, place);
}

/** The groups of a step under the weights of its models, all at once. */
export async function rollout(
  parts: TrainingParts,
  config: TrainConfig,
  options: GameOptions,
  problems: readonly Problem[],
  { opponentOf, ...played }: Pick<GroupPlace, "models" | "random"> & { readonly opponentOf?: OpponentOf | null },
): Promise<SampledGroup> {
  return playAll(
    problems.map((problem, group) => {
      const own = opponentOf && ((episode: number) => opponentOf(group, episode));
      return groupGame(parts, config, options, { ...played, problem, group, ...(own && { opponentOf: own }) });
    }),
  );
}
