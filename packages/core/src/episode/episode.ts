import type { Observation } from "../environment.ts";
import type { FinishReason, ModelIdentity, TokenTrace } from "../language-model.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { AgentId } from "../problem.ts";

/** Message as delivered to a reader. */
export interface Message {
  readonly from: AgentId;
  readonly turn: number;
  readonly round: number;
  readonly text: string;
  /** Excludes the end token. */
  readonly tokens: number;
}

/** Action of an agent. */
export interface Utterance {
  readonly agent: AgentId;
  /** From 0. */
  readonly turn: number;
  readonly round: number;
  readonly prompt: string;
  readonly text: string;
  /** No reader gets it, but its end token counts. */
  readonly silent: boolean;
  readonly writtenTokens: number;
  readonly deliveredTo: readonly AgentId[];
  readonly finishReason: FinishReason;
  readonly model: ModelIdentity;
  /** Opponent that played the agent; its tokens are not trained. */
  readonly opponent?: string;
  readonly trace?: TokenTrace;
}

/** Finished conversation about one problem, as plain data. */
export interface Episode {
  readonly problemId: string;
  readonly topology: string;
  readonly utterances: readonly Utterance[];
  readonly answer: string | null;
  /** Last text of each answering agent, if several agents answer. */
  readonly outputs?: Readonly<Record<AgentId, string>>;
  readonly notes?: readonly string[];
  /** Missing without an environment. */
  readonly observations?: readonly Observation[];
  readonly measures?: Readonly<Record<string, number>>;
  readonly stopReason: StopReason;
  readonly ledger: Ledger;
}

/** Reasons why an episode ends; counted as `stop/<reason>`. */
export const stopReasons = [
  "answered",
  "no_answer",
  "truncated",
  "turn_limit",
  "token_limit",
  "time_limit",
  "done",
  "error",
] as const;

/** See {@link stopReasons}. */
export type StopReason = (typeof stopReasons)[number];
