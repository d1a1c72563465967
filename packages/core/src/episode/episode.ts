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
  /** Delivered tokens without end token. */
  readonly tokens: number;
}

/** Action of an agent, which is rewarded and trained. */
export interface Utterance {
  readonly agent: AgentId;
  /** Position in the episode, from 0. */
  readonly turn: number;
  readonly round: number;
  readonly prompt: string;
  readonly text: string;
  /** Silent turn: no reader gets it, but its end token counts. */
  readonly silent: boolean;
  readonly writtenTokens: number;
  readonly deliveredTo: readonly AgentId[];
  readonly finishReason: FinishReason;
  readonly model: ModelIdentity;
  /** Opponent that played the agent; its tokens are not trained. Missing for team members. */
  readonly opponent?: string;
  readonly trace?: TokenTrace;
}

/** Finished conversation about one problem, as plain data to store, rescore and replay. */
export interface Episode {
  readonly problemId: string;
  readonly topology: string;
  readonly utterances: readonly Utterance[];
  readonly answer: string | null;
  /** Last text of each answering agent, if several agents answer. Agents without an answer are missing. */
  readonly outputs?: Readonly<Record<AgentId, string>>;
  /** Notes of the method, such as `capped`. */
  readonly notes?: readonly string[];
  /** Environment outputs in turn order. Missing without an environment. */
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
