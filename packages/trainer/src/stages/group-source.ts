import {
  LaconicError,
  type AgentId,
  type Episode,
  type LanguageModel,
  type Problem,
  type RewardResult,
} from "@laconic/core";
import { readReward } from "@laconic/rewards";
import type { TrainConfig } from "../config.ts";
import type { Learner } from "./learner.ts";
import { modelsOf, type Samplers, type TrainingParts } from "../parts.ts";
import type { SampledGroup } from "./group-game.ts";

/** An episode that was played elsewhere, and what it earned. */
export interface RecordedEpisode {
  readonly episode: Episode;
  readonly reward: RewardResult;
}

/** Episodes about one problem. */
export interface RecordedGroup {
  readonly problem: Problem;
  readonly episodes: readonly RecordedEpisode[];
}

/** What a step is made of, and how old it is. */
export interface RecordedStep {
  readonly groups: readonly RecordedGroup[];
  /** Steps that the weights behind its oldest reply are behind; 0 where all replies are of the models given. */
  readonly lag: number;
}

/** Who speaks until the step has its groups. */
export interface GroupRequest {
  /** Steps done so far. */
  readonly step: number;
  /** By agent, frozen ones included. Their weights do not change before what was asked for is there. */
  readonly models: Readonly<Record<AgentId, LanguageModel>>;
  /** Fires when the run is to end. */
  readonly signal?: AbortSignal;
}

/**
 * Gives each step its episodes, in place of playing them: agents of another program behind an endpoint, or recordings.
 * Every utterance of an agent that learns has its token trace.
 */
export interface GroupSource {
  /** Null when there will be no more: the run then ends before its last step, and can be continued. */
  take(request: GroupRequest): Promise<RecordedStep | null>;
}

/** A source's groups as a step's rollouts. @throws LaconicError `input_invalid` for a step without an episode */
export async function takeGroups(
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
      ...{ problem, group, episode },
      score: episode.stopReason === "error" ? null : readReward(reward),
    })),
  );
  if (rollouts.length === 0)
    throw new LaconicError("input_invalid", `step ${step + 1}: the source of episodes gave none`, { step });
  return { rollouts, scores: rollouts.map(({ score }) => score), lags: [taken.lag] };
}

/** @throws LaconicError `config_invalid` for settings that need episodes to be played, or problems to be held out, here */
export function checkSource(
  { source, task }: { readonly source?: unknown; readonly task: { readonly heldOut?: readonly unknown[] } },
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
  if (config.earlyStopping && (task.heldOut ?? []).length === 0)
    refuse("earlyStopping", "there are no held-out problems to tell by");
}
