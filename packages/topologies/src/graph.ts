import type { AgentId, Prompt, Utterance } from "@laconic/core";
import type { AnswerRule } from "./answer-rule.ts";
import type { AgentView, ReceivedMessage } from "./view.ts";

/** Converts a string to a prompt. */
export function asPrompt(input: Prompt | string): Prompt {
  return typeof input === "string" ? { kind: "text", text: input } : input;
}

/** Agent of a team. */
export interface AgentSpec<A extends AgentId = AgentId> {
  readonly id: A;
  readonly role: string;
  /** Pure; a string is a text prompt. */
  readonly prompt: (view: AgentView) => Prompt | string;
  /** Includes the end token. */
  readonly maxTokens: number;
  /** Rounds from 0. Default: all. */
  readonly rounds?: readonly number[];
  /** Not part of the message. */
  readonly stop?: readonly string[];
  readonly renderPrompt?: (prompt: Prompt) => string;
}

/** Part of a message that the reader sees. */
export type Delivery =
  | "last"
  /** Read and counted again. */
  | "full"
  | { readonly name: string; readonly shorten: (message: ReceivedMessage) => { text: string; tokens: number } };

/** Agent `to` reads agent `from`. */
export interface Edge<A extends AgentId = AgentId> {
  readonly from: A;
  readonly to: A;
  readonly delivery?: Delivery;
}

/** Graph of agents that speak once per round. */
export interface Graph<A extends AgentId = AgentId> {
  readonly name: string;
  readonly agents: readonly AgentSpec<A>[];
  readonly rounds: number;
  /** Edges without cycles. */
  readonly spatial?: readonly Edge<NoInfer<A>>[];
  /** A self-edge is memory. */
  readonly temporal?: readonly Edge<NoInfer<A>>[];
  readonly answer: AnswerRule<NoInfer<A>>;
  /** Checked after every round but the last: true ends the episode. */
  readonly until?: (utterances: readonly Utterance[]) => boolean;
  /** Counts as silence: it costs tokens and is not delivered. */
  readonly pass?: string;
}
