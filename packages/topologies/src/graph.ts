import type { AgentId, Prompt, Utterance } from "@laconic/core";
import type { AnswerRule } from "./answer-rule.ts";
import type { AgentView, ReceivedMessage } from "./view.ts";

/** Converts a string to a text prompt. */
export function asPrompt(given: Prompt | string): Prompt {
  return typeof given === "string" ? { kind: "text", text: given } : given;
}

/** Agent of a team. */
export interface AgentSpec<A extends AgentId = AgentId> {
  readonly id: A;
  readonly role: string;
  /** Pure; a string is a text prompt. */
  readonly prompt: (view: AgentView) => Prompt | string;
  /** Max tokens per utterance, including the end token. */
  readonly maxTokens: number;
  /** Rounds in which it speaks, from 0. Default: all. */
  readonly rounds?: readonly number[];
  /** Texts that end its reply; not part of the message. */
  readonly stop?: readonly string[];
  /** Shows a prompt in a transcript. */
  readonly renderPrompt?: (prompt: Prompt) => string;
}

/** How much of a sender's message the reader sees. */
export type Delivery =
  /** Message of the edge's round. */
  | "last"
  /** All messages so far, read and counted again. */
  | "full"
  /** Shortened message with its token count. */
  | { readonly name: string; readonly shorten: (message: ReceivedMessage) => { text: string; tokens: number } };

/** Agent `to` reads agent `from`. */
export interface Edge<A extends AgentId = AgentId> {
  readonly from: A;
  readonly to: A;
  readonly delivery?: Delivery;
}

/** Graph of agents that speak once per round. Literal agent ids are checked at compile time. */
export interface Graph<A extends AgentId = AgentId> {
  readonly name: string;
  /** Turn order. */
  readonly agents: readonly AgentSpec<A>[];
  readonly rounds: number;
  /** Edges within a round, without cycles. */
  readonly spatial?: readonly Edge<NoInfer<A>>[];
  /** Edges from the previous round; a self-edge is memory. */
  readonly temporal?: readonly Edge<NoInfer<A>>[];
  readonly answer: AnswerRule<NoInfer<A>>;
  /** Early stop, checked after every round but the last: true ends the episode. See `unanimous`. */
  readonly until?: (utterances: readonly Utterance[]) => boolean;
  /** Message that counts as silence: it costs tokens and is not delivered. */
  readonly pass?: string;
}
