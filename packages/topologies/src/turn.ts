import type { AgentId, LedgerCall, Observation, OwnReply, Prompt, StepReward, Utterance } from "@laconic/core";
import type { ReceivedMessage } from "./view.ts";

/** Request for one turn. */
export interface SpeakRequest {
  readonly agent: AgentId;
  /** Position from 0; names the random stream. */
  readonly turn: number;
  readonly round: number;
  readonly prompt: Prompt;
  /** Recorded as reads unless silent. */
  readonly inbox: readonly ReceivedMessage[];
  /** Includes the end token. */
  readonly maxTokens: number;
  /** Default: the episode's. */
  readonly temperature?: number;
  /** Default: the context's. */
  readonly stop?: readonly string[];
  /** Lets a local policy keep its cache. */
  readonly speaksAgain?: boolean;
  readonly earlier?: readonly Turn[];
  readonly replies?: readonly OwnReply[];
  readonly renderPrompt?: (prompt: Prompt) => string;
  readonly pass?: string;
}

/** Text with its observation. */
export interface TurnStep extends Pick<Turn, "utterance" | "call"> {
  readonly observed: Pick<Observation, "text" | "reward">;
}

/** Text, cost and message of a turn. */
export interface Turn {
  /** Unread by other agents. */
  readonly steps?: readonly TurnStep[];
  readonly reward?: StepReward;
  readonly done?: boolean;
  /** `deliveredTo` is empty before {@link endEpisode}. */
  readonly utterance: Utterance;
  readonly call: LedgerCall;
  readonly message: ReceivedMessage;
}

export function callsOf({ steps = [], call }: Turn): LedgerCall[] {
  return [...steps.map((step) => step.call), call];
}
