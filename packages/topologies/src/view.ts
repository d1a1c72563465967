import type { AgentId, Message } from "@laconic/core";

/** A message as its reader gets it. A silent sender keeps its place: `silent` is true, `text` empty, `tokens` 0. */
export interface ReceivedMessage extends Message {
  readonly silent: boolean;
}

/** All an agent may know when it speaks. */
export interface AgentView {
  readonly agent: AgentId;
  readonly role: string;
  /** The question everybody sees. */
  readonly question: string;
  /** What only this agent sees; absent when the problem has nothing private for it. */
  readonly privateView?: string;
  /** One entry per incoming edge: temporal edges first, then spatial ones, each in declared order. */
  readonly inbox: readonly ReceivedMessage[];
  /** From 0. */
  readonly round: number;
}
