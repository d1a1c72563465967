import { inputError, type Problem } from "@laconic/core";
import type { TrainConfig } from "../settings/config.ts";
import type { OpponentOf } from "../opponents/games.ts";
import { modelsOf, type TrainingParts, type Samplers, type GroupSource } from "../spec/parts.ts";
import { episodeRollout, type GameOptions } from "./episode-rollout.ts";
import { playAll, type GroupRollout, type GroupPlace, type SampledGroup, type TakenGroups } from "./group-rollout.ts";
import { treeRollout } from "./tree-rollout.ts";
import { readReward } from "@laconic/rewards";

export function groupGame(
  parts: TrainingParts,
  config: TrainConfig,
  options: GameOptions,
  groupPlace: GroupPlace,
): GroupRollout {
  return config.tree
    ? treeRollout(parts, config, config.tree, options, groupPlace)
    : episodeRollout(parts, config, options, groupPlace);
}

export async function rollout(
  parts: TrainingParts,
  config: TrainConfig,
  options: GameOptions,
  problems: readonly Problem[],
  { opponentOf, ...played }: Pick<GroupPlace, "models" | "random"> & { readonly opponentOf?: OpponentOf | null },
): Promise<SampledGroup> {
  return playAll(
    problems.map((problem, group) => {
      const ofGroup = opponentOf && ((episode: number) => opponentOf(group, episode));
      return groupGame(parts, config, options, { ...played, problem, group, ...(ofGroup && { opponentOf: ofGroup }) });
    }),
  );
}

/** Groups of an external source. @throws LaconicError `input_invalid` for a step without episodes */
export async function nextBatch(
  parts: TrainingParts,
  source: GroupSource,
  step: number,
  samplers: Samplers,
  signal: AbortSignal | undefined,
): Promise<TakenGroups | null> {
  const taken = await source.take({ step, models: modelsOf(parts, samplers), ...(signal && { signal }) });
  if (taken === null) return null;
  const rollouts = taken.groups.flatMap(({ problem, episodes }, group) =>
    episodes.map(({ episode, reward }) => ({
      problem,
      group,
      episode,
      score: episode.stopReason === "error" ? null : readReward(reward),
    })),
  );
  if (rollouts.length === 0) throw inputError(`step ${step + 1}: the episode source returned no episodes`, { step });
  return { rollouts, scores: rollouts.map(({ score }) => score), lags: taken.groups.map(({ lag = taken.lag }) => lag) };
}
