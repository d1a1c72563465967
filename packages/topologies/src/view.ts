import type { AgentId, Message, Problem } from "@laconic/core";

/** A message as its reader gets it; a silent one has an empty text and 0 tokens. */
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
  /** Shown by a prompt's choice: it tells how much others wrote, along no edge. */
  readonly budget?: BudgetView;
}

/** A problem as an agent sees it. Views are own properties: an agent may be called `toString`. */
export function seenBy({ question, views = {} }: Problem, agent: AgentId): Pick<AgentView, "question" | "privateView"> {
  const privateView = Object.hasOwn(views, agent) ? views[agent] : undefined;
  return { question, ...(privateView !== undefined && { privateView }) };
}
