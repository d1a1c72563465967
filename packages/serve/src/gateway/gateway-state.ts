import type { AgentId, LanguageModel } from "@laconic/core";
import type { Admission } from "./admission.ts";
import type { Gate } from "./gate.ts";
import { meaningOf, type RewardMeaning } from "./gateway-requests.ts";
import type { FinishedRollout, Validated } from "./finished-rollout.ts";
import type { RolloutRegistry } from "./rollout-registry.ts";

/** What requests are answered from. */
export interface GatewayState {
  readonly registry: RolloutRegistry;
  readonly admission: Admission;
  readonly gate: Gate;
  readonly prompts: Record<string, number>;
  readonly dropped: Record<string, number>;
  /** Of finished rollouts, so that one that is sent again is no error. */
  readonly rewards: Map<string, RewardMeaning>;
  /** Of the latest step that has validation rollouts. */
  validation: { readonly step: number; readonly count: number; readonly score: number } | null;
  otherSampling: number;
  foreign: number;
  step: number | null;
  models: Readonly<Record<AgentId, LanguageModel>>;
  closed: boolean;
  /** Tells whoever waits for groups, or for room to begin, that something changed. */
  changed(): void;
}

/** Adds to the mean of its step; one of an earlier step comes too late. */
export function countValidated(state: GatewayState, { step, score }: Validated): void {
  const { step: latest, count, score: mean } = state.validation ?? { step: -1, count: 0, score: 0 };
  if (step < latest) return;
  const before = step === latest ? count : 0;
  const added = before === 0 ? score : mean + (score - mean) / (before + 1);
  state.validation = { step, count: before + 1, score: added };
}

/** Rewards that are remembered for being sent again. */
const maxRewards = 10_000;

/** Forgets the oldest where there are too many. */
export function rememberReward({ rewards }: GatewayState, rollout: FinishedRollout): void {
  rewards.set(rollout.id, meaningOf(rollout));
  const [oldest] = rewards.keys();
  if (rewards.size > maxRewards && oldest !== undefined) rewards.delete(oldest);
}
