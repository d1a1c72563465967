import type { AgentId } from "../problem.ts";
import { sumKinds, type TokenCounts, type TokenKinds } from "./token-usage.ts";

/** Sender of observations in every ledger. No agent may have this name. */
export const environmentName = "environment";

/** A message or observation read while speaking: reading the same message again counts again. */
export interface LedgerRead {
  /** The writer, or `environment` for an observation. */
  readonly from: AgentId;
  /** Turn of the message, or of the utterance that the observation answers. */
  readonly turn: number;
  /** Delivered tokens by the writer's tokenizer, 0 for silence; of an observation by the reader's tokenizer. */
  readonly tokens: number;
}

/** One call of one agent's model. */
export interface LedgerCall extends TokenKinds {
  readonly turn: number;
  readonly round: number;
  readonly agent: AgentId;
  readonly promptTokens: number;
  /** Completion tokens, the end token and reasoning included. */
  readonly writtenTokens: number;
  readonly reads: readonly LedgerRead[];
  /** Name of the opponent that played the agent; absent for the team's own. */
  readonly opponent?: string;
  /** Wall-clock time, never in a run's files, which are reproducible to the byte. */
  readonly seconds?: number;
}

/** Every token of an episode, call by call; all cost figures derive from it. */
export interface Ledger {
  readonly calls: readonly LedgerCall[];
}

/** Sums of a ledger: calls, tokens written and read, by agent and by edge. */
export interface LedgerTotals extends TokenKinds {
  readonly calls: number;
  readonly promptTokens: number;
  readonly writtenTokens: number;
  readonly readTokens: number;
  readonly writtenByAgent: Readonly<Record<AgentId, number>>;
  readonly readByAgent: Readonly<Record<AgentId, number>>;
  /** Tokens read per edge, keyed `sender->receiver`. */
  readonly readByEdge: Readonly<Record<string, number>>;
}

/** Token fields of a call, or of the totals of many. */
type CallTokens = Pick<LedgerCall, "promptTokens" | "writtenTokens" | keyof TokenKinds>;

/** Token fields of a ledger call from its completion's usage. */
export function callTokens(usage: TokenCounts): CallTokens {
  return { promptTokens: usage.promptTokens, writtenTokens: usage.completionTokens, ...sumKinds([usage]) };
}

/** Token counts of a ledger call or totals. */
export function tokenCounts(call: CallTokens): TokenCounts {
  return { promptTokens: call.promptTokens, completionTokens: call.writtenTokens, ...sumKinds([call]) };
}

/** Totals of a ledger. Agents with calls but without tokens count 0. */
export function ledgerTotals(ledger: Ledger): LedgerTotals {
  // Maps, because an agent may be called like a property that every object has.
  const writtenByAgent = new Map<AgentId, number>();
  const readByAgent = new Map<AgentId, number>();
  const readByEdge = new Map<string, number>();
  let promptTokens = 0;
  let writtenTokens = 0;
  let readTokens = 0;
  for (const call of ledger.calls) {
    promptTokens += call.promptTokens;
    writtenTokens += call.writtenTokens;
    addTo(writtenByAgent, call.agent, call.writtenTokens);
    addTo(readByAgent, call.agent, 0);
    for (const read of call.reads) {
      readTokens += read.tokens;
      addTo(readByAgent, call.agent, read.tokens);
      addTo(readByEdge, `${read.from}->${call.agent}`, read.tokens);
    }
  }
  return {
    calls: ledger.calls.length,
    promptTokens,
    writtenTokens,
    ...sumKinds(ledger.calls),
    readTokens,
    writtenByAgent: Object.fromEntries(writtenByAgent),
    readByAgent: Object.fromEntries(readByAgent),
    readByEdge: Object.fromEntries(readByEdge),
  };
}

function addTo(totals: Map<string, number>, key: string, tokens: number): void {
  totals.set(key, (totals.get(key) ?? 0) + tokens);
}
