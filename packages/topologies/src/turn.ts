import type { AgentId, LedgerCall, Observation, OwnReply, Prompt, StepReward, Utterance } from "@laconic/core";
import type { ReceivedMessage } from "./view.ts";

/** One turn to be taken. */
export interface SpeakRequest {
  readonly agent: AgentId;
  /** Position in the episode, from 0; also names the turn's random stream. */
  readonly turn: number;
  readonly round: number;
  readonly prompt: Prompt;
  /** The messages in the prompt; spoken ones enter the ledger as reads. */
  readonly inbox: readonly ReceivedMessage[];
  /** Most tokens written, the end token included. */
  readonly maxTokens: number;
  /** Instead of the episode's. */
  readonly temperature?: number;
  /** Texts that end the reply, instead of those of the context. */
  readonly stop?: readonly string[];
  /** The agent speaks again, so that a local policy keeps its cache. */
  readonly speaksAgain?: boolean;
  /** Earlier turns, whose tokens continue a chat. */
  readonly earlier?: readonly Turn[];
  /** Earlier replies of this turn. */
  readonly replies?: readonly OwnReply[];
  readonly renderPrompt?: (prompt: Prompt) => string;
  /** Text that counts as silence, like an empty one. */
  readonly pass?: string;
}

/** A text of a turn before its last one, and what the environment answered. */
export interface TurnStep extends Pick<Turn, "utterance" | "call"> {
  readonly observed: Pick<Observation, "text" | "reward">;
}

/** One turn taken: what was written, what it cost, and how readers get it. */
export interface Turn {
  /** Earlier texts of the turn, to an environment; unread by other agents. */
  readonly steps?: readonly TurnStep[];
  /** What the last text earned from an environment. */
  readonly reward?: StepReward;
  /** The environment ended the episode. */
  readonly done?: boolean;
  /** `deliveredTo` is empty until {@link endEpisode} knows the readers. */
  readonly utterance: Utterance;
  readonly call: LedgerCall;
  readonly message: ReceivedMessage;
}

/** Every call of a turn, in order. */
export function callsOf({ steps = [], call }: Turn): LedgerCall[] {
  return [...steps.map((step) => step.call), call];
}
