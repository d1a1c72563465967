import type { AgentId, Message, Problem } from "@laconic/core";

/** A message as its reader gets it. A silent sender keeps its place: `silent` is true, `text` empty, `tokens` 0. */
export interface ReceivedMessage extends Message {
  readonly silent: boolean;
}

/** The budget of an episode before a turn. */
export interface BudgetView {
  /** What the team is to write per episode, end tokens included. */
  readonly targetTokens: number;
  /** What it has written so far; those who speak at once see the same. */
  readonly spentTokens: number;
  /** 0 where it has written more than the target. */
  readonly leftTokens: number;
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
  /** Where the episode has one. It tells how much others wrote, along no edge: a prompt reads it by choice. */
  readonly budget?: BudgetView;
}

/** What a problem shows an agent: its own view alone, also where it is called `toString`. */
export function seenBy({ question, views = {} }: Problem, agent: AgentId): Pick<AgentView, "question" | "privateView"> {
  const privateView = Object.hasOwn(views, agent) ? views[agent] : undefined;
  return { question, ...(privateView !== undefined && { privateView }) };
}
