import type { AgentId, Episode, LanguageModel, Problem, RewardResult } from "@laconic/core";

/** Externally played episodes of one problem, with rewards. */
export interface RewardedGroup {
  readonly problem: Problem;
  readonly episodes: readonly { readonly episode: Episode; readonly reward: RewardResult }[];
  /** Age in steps of the weights of its oldest reply. Default: that of its step. */
  readonly lag?: number;
}

/** Groups of a step, with their age. */
export interface RewardedStep {
  readonly groups: readonly RewardedGroup[];
  /** Age in steps of the weights of the oldest reply; 0 if all replies are of the supplied models. */
  readonly lag: number;
}

/** Request for a step's groups. */
export interface GroupRequest {
  /** Steps done. */
  readonly step: number;
  /** By agent, including frozen ones. Weights stay fixed until the groups are returned. */
  readonly models: Readonly<Record<AgentId, LanguageModel>>;
  /** Fires when the run should end. */
  readonly signal?: AbortSignal;
}

/**
 * Supplies each step's externally played episodes, from agents behind an endpoint or from recordings. Every utterance
 * of a trained agent has its token trace.
 */
export interface GroupSource {
  /** Returns null without further groups: the run then ends early and can be resumed. */
  take(request: GroupRequest): Promise<RewardedStep | null>;
}
