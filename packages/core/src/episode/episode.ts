import type { Observation } from "../environment.ts";
import type { FinishReason, ModelIdentity, TokenTrace } from "../language-model.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { AgentId } from "../problem.ts";

/** A message as delivered to a reader. */
export interface Message {
  readonly from: AgentId;
  readonly turn: number;
  readonly round: number;
  readonly text: string;
  /** Delivered tokens, the end token excluded. */
  readonly tokens: number;
}

/** An action of an agent: rewarded and trained. */
export interface Utterance {
  readonly agent: AgentId;
  /** Position in the episode, from 0. */
  readonly turn: number;
  readonly round: number;
  /** The rendered prompt, for transcripts. */
  readonly prompt: string;
  readonly text: string;
  /** Silence: no reader gets this turn, which still costs its end token. */
  readonly silent: boolean;
  readonly writtenTokens: number;
  readonly deliveredTo: readonly AgentId[];
  readonly finishReason: FinishReason;
  readonly model: ModelIdentity;
  /** Name of the opponent that played the agent, whose tokens are not trained. Absent for team members. */
  readonly opponent?: string;
  /** Present when a local policy wrote it. */
  readonly trace?: TokenTrace;
}

/** A finished conversation about one problem: plain data to store, score again and replay. */
export interface Episode {
  readonly problemId: string;
  readonly topology: string;
  readonly utterances: readonly Utterance[];
  readonly answer: string | null;
  /** If several agents answer: the last text of each, by agent; an agent that never answered is missing. */
  readonly outputs?: Readonly<Record<AgentId, string>>;
  /** Notes of the method, such as `capped` for a cap that was hit. */
  readonly notes?: readonly string[];
  /** Answers of an environment, in the order of turns. Absent without one. */
  readonly observations?: readonly Observation[];
  readonly measures?: Readonly<Record<string, number>>;
  readonly stopReason: StopReason;
  readonly ledger: Ledger;
}

/** Why an episode ended; counted as `stop/<reason>`. */
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

/** One of `stopReasons`. */
export type StopReason = (typeof stopReasons)[number];
