import type { AgentId, Message, Problem } from "@laconic/core";

/** Silent ones have an empty text and 0 tokens. */
export interface ReceivedMessage extends Message {
  readonly silent: boolean;
}

/** Budget before a turn. */
export interface BudgetView {
  /** Includes end tokens. */
  readonly targetTokens: number;
  /** Concurrent speakers see the same number. */
  readonly spentTokens: number;
  /** 0 above the target. */
  readonly leftTokens: number;
}

/** Knowledge of a speaking agent. */
export interface AgentView {
  readonly agent: AgentId;
  readonly role: string;
  readonly question: string;
  readonly privateView?: string;
  /** Temporal edges, then spatial ones, in declared order. */
  readonly inbox: readonly ReceivedMessage[];
  readonly round: number;
  /** Reveals how much others wrote, without an edge. */
  readonly budget?: BudgetView;
}

/** An agent's part of a problem; own properties only, so an agent may be called `toString`. */
export function seenBy({ question, views = {} }: Problem, agent: AgentId): Pick<AgentView, "question" | "privateView"> {
  const privateView = Object.hasOwn(views, agent) ? views[agent] : undefined;
  return { question, ...(privateView !== undefined && { privateView }) };
}
