import type { AgentId, LanguageModel } from "@laconic/core";
import type { Gate } from "./gate.ts";
import type { RolloutBook } from "./rollout-book.ts";

/** What requests are answered from. */
export interface GatewayState {
  readonly book: RolloutBook;
  readonly gate: Gate;
  readonly prompts: Record<string, number>;
  readonly dropped: Record<string, number>;
  otherSampling: number;
  foreign: number;
  step: number | null;
  models: Readonly<Record<AgentId, LanguageModel>>;
  closed: boolean;
  /** Tells whoever waits for groups that something changed. */
  changed(): void;
}
