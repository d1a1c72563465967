import type { AgentId, Episode, LanguageModel, Problem, RewardResult } from "@laconic/core";

/** Externally played episodes of a problem, with rewards. */
export interface RewardedGroup {
  readonly problem: Problem;
  readonly episodes: readonly { readonly episode: Episode; readonly reward: RewardResult }[];
  /** Age in steps of the weights of the oldest reply. Default: that of its step. */
  readonly lag?: number;
}

export interface RewardedStep {
  readonly groups: readonly RewardedGroup[];
  /** Age in steps of the weights of the oldest reply; 0 for replies of the supplied models. */
  readonly lag: number;
}

export interface GroupRequest {
  /** Steps done. */
  readonly step: number;
  /** Models by agent. Weights stay fixed until the groups are returned. */
  readonly models: Readonly<Record<AgentId, LanguageModel>>;
  /** Fires when the run should end. */
  readonly signal?: AbortSignal;
}

/** Supplies externally played episodes. Every utterance of a trained agent has its token trace. */
export interface GroupSource {
  /** Returns null at the end: the run stops early and can resume. */
  take(request: GroupRequest): Promise<RewardedStep | null>;
}
