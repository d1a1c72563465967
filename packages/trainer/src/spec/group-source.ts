import type { AgentId, Episode, LanguageModel, Problem, RewardResult } from "@laconic/core";

/** Episodes about one problem that were played elsewhere, and what each earned. */
export interface RewardedGroup {
  readonly problem: Problem;
  readonly episodes: readonly { readonly episode: Episode; readonly reward: RewardResult }[];
  /** Steps that the weights behind its oldest reply are behind; that of its step when absent. */
  readonly lag?: number;
}

/** What a step is made of, and how old it is. */
export interface RewardedStep {
  readonly groups: readonly RewardedGroup[];
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
 * Gives each step episodes that are played elsewhere: by agents behind an endpoint, or recordings.
 * Every utterance of an agent that learns has its token trace.
 */
export interface GroupSource {
  /** Null when there will be no more: the run then ends before its last step, and can be continued. */
  take(request: GroupRequest): Promise<RewardedStep | null>;
}
