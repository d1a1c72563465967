import type { AgentId, LanguageModel } from "@laconic/core";
import type { Gate } from "./gate.ts";
import { meaningOf, type RewardMeaning } from "./gateway-requests.ts";
import type { FinishedRollout, RolloutRegistry } from "./rollout-registry.ts";

/** What requests are answered from. */
export interface GatewayState {
  readonly registry: RolloutRegistry;
  readonly gate: Gate;
  readonly prompts: Record<string, number>;
  readonly dropped: Record<string, number>;
  /** Of finished rollouts, so that one that is sent again is no error. */
  readonly rewards: Map<string, RewardMeaning>;
  otherSampling: number;
  foreign: number;
  step: number | null;
  models: Readonly<Record<AgentId, LanguageModel>>;
  closed: boolean;
  /** Tells whoever waits for groups that something changed. */
  changed(): void;
}

/** Rewards that are remembered for being sent again. */
const maxRewards = 10_000;

/** Forgets the oldest where there are too many. */
export function rememberReward({ rewards }: GatewayState, rollout: FinishedRollout): void {
  rewards.set(rollout.id, meaningOf(rollout));
  const [oldest] = rewards.keys();
  if (rewards.size > maxRewards && oldest !== undefined) rewards.delete(oldest);
}
