import { LaconicError } from "@laconic/core";
import { readReward } from "@laconic/rewards";
import type { TrainConfig } from "../settings/config.ts";
import type { GroupSource } from "../group-source.ts";
import type { Learner } from "./learner.ts";
import { modelsOf, type Samplers, type TrainingParts } from "../parts.ts";
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

/** @throws LaconicError `config_invalid` for settings that need episodes to be played, or problems to be kept for the test, here */
export function checkSource(
  { source, task }: { readonly source?: unknown; readonly task: { readonly testProblems?: readonly unknown[] } },
  config: TrainConfig,
  learners: readonly Pick<Learner, "estimator">[],
): void {
  if (source === undefined) return;
  const refuse = (key: string, reason: string): never => {
    throw new LaconicError("config_invalid", `${key}: ${reason}, and episodes are played elsewhere`, { key });
  };
  if (config.tree) refuse("tree", "a tree is played turn by turn here");
  if (config.credit.kind !== "shared") refuse("credit", `${config.credit.kind} plays or grades episodes again`);
  if (config.problemPool !== null) refuse("problemPool", "problems are drawn from it here");
  if (Object.keys(config.limits).length > 0) refuse("limits", "they end episodes that are played here");
  if (learners.some(({ estimator }) => estimator.needs?.includes("greedy")))
    refuse("advantage", "the estimator needs a greedy episode of each problem");
  if (config.earlyStopping && (task.testProblems ?? []).length === 0)
    refuse("earlyStopping", "there are no validation problems to tell by");
}
