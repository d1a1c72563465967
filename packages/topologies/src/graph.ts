import type { AgentId, Prompt } from "@laconic/core";
import type { AnswerRule } from "./answer-rule.ts";
import type { AgentView, ReceivedMessage } from "./view.ts";

/** A string as a text prompt. */
export function asPrompt(given: Prompt | string): Prompt {
  return typeof given === "string" ? { kind: "text", text: given } : given;
}

/** One agent of a team. */
export interface AgentSpec<A extends AgentId = AgentId> {
  readonly id: A;
  /** What the agent is for; its prompt template reads it. */
  readonly role: string;
  /** Prompt of what the agent sees; a string is a text. Pure. */
  readonly prompt: (view: AgentView) => Prompt | string;
  /** Most tokens of one utterance, the end token included. */
  readonly maxTokens: number;
  /** The rounds in which it speaks, from 0; every round unless given. */
  readonly rounds?: readonly number[];
  /** Texts that end its reply; they are not part of the message. */
  readonly stop?: readonly string[];
  /** How a prompt reads in a transcript; token prompts show as ids when absent. */
  readonly renderPrompt?: (prompt: Prompt) => string;
}

/** How much of a sender's message the reader sees. */
export type Delivery =
  /** The message of the round the edge speaks of. */
  | "last"
  /** Every message of the sender so far; each is read again, and counted again. */
  | "full"
  /** A shortened message with its number of tokens. For a summary by an agent, add that agent to the graph. */
  | { readonly name: string; readonly shorten: (message: ReceivedMessage) => { text: string; tokens: number } };

/** `to` reads what `from` wrote. */
export interface Edge<A extends AgentId = AgentId> {
  readonly from: A;
  readonly to: A;
  /** Default `last`. */
  readonly delivery?: Delivery;
}

/** Who speaks, who reads whom, who answers. Every agent speaks once per round. Literal agent ids are checked at compile time too. */
export interface Graph<A extends AgentId = AgentId> {
  readonly name: string;
  /** The declared order numbers the turns. */
  readonly agents: readonly AgentSpec<A>[];
  readonly rounds: number;
  /** Within a round: the reader waits for the writer. No cycles. */
  readonly spatial?: readonly Edge<NoInfer<A>>[];
  /** From the round before. An edge from an agent to itself is its memory. */
  readonly temporal?: readonly Edge<NoInfer<A>>[];
  readonly answer: AnswerRule<NoInfer<A>>;
  /** A message with only this text is silent: it costs tokens and is not delivered. */
  readonly pass?: string;
}
