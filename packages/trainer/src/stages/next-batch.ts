import { LaconicError } from "@laconic/core";
import { readReward } from "@laconic/rewards";
import type { GroupSource } from "../spec/group-source.ts";
import { modelsOf, type Samplers, type TrainingParts } from "../spec/parts.ts";
import type { SampledGroup } from "./group-rollout.ts";

/** A source's groups as a step's rollouts. @throws LaconicError `input_invalid` for a step without an episode */
export async function nextBatch(
  parts: TrainingParts,
  source: GroupSource,
  step: number,
  samplers: Samplers,
  signal: AbortSignal | undefined,
): Promise<(SampledGroup & { readonly lags: readonly number[] }) | null> {
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
  if (rollouts.length === 0)
    throw new LaconicError("input_invalid", `step ${step + 1}: the source of episodes gave none`, { step });
  return { rollouts, scores: rollouts.map(({ score }) => score), lags: taken.groups.map(({ lag = taken.lag }) => lag) };
}
