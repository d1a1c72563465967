import type { AgentId } from "../problem.ts";
import { sumKinds, type TokenCounts, type TokenKinds } from "./token-usage.ts";

/** Sender of observations in ledgers; not allowed for agents. */
export const environmentName = "environment";

/** Message or observation read while speaking; repeated reading counts again. */
export interface LedgerRead {
  /** Writer, or `environment`. */
  readonly from: AgentId;
  /** Turn of the message, or of the answered utterance. */
  readonly turn: number;
  /** Count of the writer's tokenizer, 0 for silence. Observations use the reader's. */
  readonly tokens: number;
}

/** Model call of an agent. */
export interface LedgerCall extends TokenKinds {
  readonly turn: number;
  readonly round: number;
  readonly agent: AgentId;
  readonly promptTokens: number;
  /** Include end token and reasoning. */
  readonly writtenTokens: number;
  readonly reads: readonly LedgerRead[];
  readonly opponent?: string;
  /** Wall-clock time, never stored in run files, which are reproducible to the byte. */
  readonly seconds?: number;
}

/** All tokens of an episode by call. */
export interface Ledger {
  readonly calls: readonly LedgerCall[];
}

export interface LedgerTotals extends TokenKinds {
  readonly calls: number;
  readonly promptTokens: number;
  readonly writtenTokens: number;
  readonly readTokens: number;
  readonly writtenByAgent: Readonly<Record<AgentId, number>>;
  readonly readByAgent: Readonly<Record<AgentId, number>>;
  /** Keyed `sender->receiver`. */
  readonly readByEdge: Readonly<Record<string, number>>;
}

type CallTokens = Pick<LedgerCall, "promptTokens" | "writtenTokens" | keyof TokenKinds>;

/** Token fields of a ledger call. */
export function callTokens(usage: TokenCounts): CallTokens {
  return { promptTokens: usage.promptTokens, writtenTokens: usage.completionTokens, ...sumKinds([usage]) };
}

/** Counts of a call or totals. */
export function tokenCounts(call: CallTokens): TokenCounts {
  return { promptTokens: call.promptTokens, completionTokens: call.writtenTokens, ...sumKinds([call]) };
}

/** Sums a ledger. */
export function ledgerTotals(ledger: Ledger): LedgerTotals {
  // An agent may have the name of an inherited property.
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
