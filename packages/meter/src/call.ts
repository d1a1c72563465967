import type { TokenCounts } from "@laconic/core/ledger";

/** How an agent or a task was recognised. */
export type Source = "header" | "path" | "metadata" | "trace" | "text";

/** Characters of a prompt that another reply wrote. */
export interface Quotation {
  /** Call that wrote the text. */
  readonly call: string;
  readonly agent: string;
  readonly characters: number;
}

/** A finished call, as stored. Texts are stored apart, by their hashes. */
export interface MeteredCall {
  readonly id: string;
  /** Start, ISO 8601. */
  readonly time: string;
  readonly milliseconds: number;
  /** Until the first byte of the reply. */
  readonly firstMilliseconds: number;
  readonly agent: string;
  readonly agentSource: Source;
  readonly task: string;
  readonly taskSource: Source;
  /** The reply's model, otherwise the request's. */
  readonly model: string;
  /** HTTP status; 0 without an answer. */
  readonly status: number;
  /** The client or the server ended the connection before the reply did. */
  readonly isCut: boolean;
  /** Repeats the agent's last call of the task, which failed. */
  readonly isRetry: boolean;
  /** The server's report; null without one. */
  readonly usage: TokenCounts | null;
  /** Characters. */
  readonly promptLength: number;
  readonly replyLength: number;
  /** Characters of instructions, of earlier prompts of this agent, and of tool results. */
  readonly system: number;
  readonly repeated: number;
  readonly toolResults: number;
  /** Replies of the task that the prompt quotes. */
  readonly reads: readonly Quotation[];
  readonly toolCalls: number;
  /** Path of the request. */
  readonly path: string;
  /** Hashes of the stored request and of the reply's text. */
  readonly request: string;
  readonly reply: string;
}

/** A call that began. Without a {@link MeteredCall} of the same id it was lost, as after a kill. */
export interface BegunCall {
  readonly begun: string;
  readonly time: string;
}
