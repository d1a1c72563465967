import type { Ledger, LedgerCall, LedgerRead } from "./ledger.ts";
import type { AgentId } from "../problem.ts";

interface TokenPart {
  readonly tokens: number;
  /** Missing for written tokens. */
  readonly read?: LedgerRead;
}

/** Written tokens include end tokens. */
const countedParts = {
  "tokens-written": ({ writtenTokens }: LedgerCall): readonly TokenPart[] => [{ tokens: writtenTokens }],
  "tokens-read": ({ reads }: LedgerCall): readonly TokenPart[] => reads.map((read) => ({ tokens: read.tokens, read })),
};

/** Tokens that a cost counts. Default: the whole team's. */
export interface TokenCount {
  readonly kind: keyof typeof countedParts;
  /** Writer or reader. */
  readonly by?: AgentId;
  /** Sender of the messages. */
  readonly from?: AgentId;
}

/** Cost in an episode's reward. */
export interface Charge {
  readonly name: string;
  /** Price * units. */
  readonly cost: number;
  readonly units: number;
  readonly tokens?: TokenCount;
  /** Default: the whole team. */
  readonly agents?: ReadonlySet<AgentId>;
}

interface TokenCost {
  readonly tokens: number;
  readonly cost: number;
}

/** Cost of one turn by destination. */
export interface TurnCost {
  readonly turn: number;
  readonly agent: AgentId;
  /** 0 without readers. */
  readonly message: number;
  readonly readers: readonly (TokenCost & { readonly to: AgentId })[];
  /** The end token, or all of a silent turn. */
  readonly end: TokenCost;
  /** Turn without readers, such as an answer. */
  readonly unread: TokenCost;
}

/** Cost in an episode's reward; `turns` and `rest` sum to `total`. */
export interface CostBreakdown {
  readonly turns: readonly TurnCost[];
  /** Costs other than per token. */
  readonly rest: Readonly<Record<string, number>>;
  readonly total: number;
}

/** Units of a token cost. Written tokens include end tokens, read tokens do not; each reading counts. */
export function countTokens(ledger: Ledger, count: TokenCount): number {
  let sum = 0;
  for (const { tokens } of counted(ledger, count)) sum += tokens;
  return sum;
}

function* counted(
  { calls }: Ledger,
  { kind, by, from }: TokenCount,
  agents?: ReadonlySet<AgentId>,
): Generator<TokenPart & { readonly call: LedgerCall }> {
  for (const call of calls) {
    if ((by !== undefined && call.agent !== by) || (agents && !agents.has(call.agent))) continue;
    for (const part of countedParts[kind](call))
      if (from === undefined || !part.read || part.read.from === from) yield { call, ...part };
  }
}

type Units = Readonly<Record<string, number | null>>;

/**
 * An episode's charges by cost name.
 * @param counts - counted tokens of the per-token costs
 */
export function chargesOf(units: Units, terms: Units, counts: ReadonlyMap<string, TokenCount>): readonly Charge[] {
  return Object.entries(units).map(([name, measured]) => {
    const tokens = counts.get(name);
    return { name, cost: 0 - (terms[name] ?? 0), units: measured ?? NaN, ...(tokens && { tokens }) };
  });
}

/**
 * Splits the cost in an episode's reward by turn and edge.
 * - A message's written tokens are charged once, in equal shares to the edges to its readers, plus each reading.
 * - End tokens are charged without an edge.
 * - `rest` has other costs, and costs whose units differ from their `tokens`. NaN (not applicable) is skipped.
 */
export function costBreakdown(
  episode: {
    readonly ledger: Ledger;
    readonly utterances: readonly { readonly turn: number; readonly agent: AgentId; readonly silent: boolean }[];
  },
  charges: readonly Charge[],
): CostBreakdown {
  const { calls } = episode.ledger;
  const silent = new Set(
    episode.utterances.flatMap((utterance) => (utterance.silent ? keyOf(utterance.turn, utterance.agent) : [])),
  );
  const turns = new Map<string, Turn>();
  const turnOf = (turn: number, agent: AgentId): Turn => {
    const key = keyOf(turn, agent);
    const registry = turns.get(key);
    if (registry) return registry;
    const added = {
      turn,
      agent,
      silent: silent.has(key),
      written: 0,
      delivered: 0,
      writingCost: 0,
      readers: new Map(),
    };
    turns.set(key, added);
    return added;
  };
  for (const { turn, agent, writtenTokens } of calls) turnOf(turn, agent).written += writtenTokens;
  for (const { agent, reads } of calls)
    for (const { turn, from, tokens } of reads) {
      const source = turnOf(turn, from);
      source.delivered = Math.max(source.delivered, tokens);
      addTo(source.readers, agent, tokens, 0);
    }

  const rest = new Map<string, number>();
  let total = 0;
  for (const { name, cost, units, tokens: count, agents } of charges) {
    if (cost === 0 || Number.isNaN(cost)) continue;
    total += cost;
    const parts = count ? [...counted(episode.ledger, count, agents)] : [];
    const sum = parts.reduce((all, { tokens }) => all + tokens, 0);
    if (sum === 0 || sum !== units) rest.set(name, (rest.get(name) ?? 0) + cost);
    else
      for (const { call, read, tokens } of parts)
        if (read) addTo(turnOf(read.turn, read.from).readers, call.agent, 0, (cost * tokens) / sum);
        else turnOf(call.turn, call.agent).writingCost += (cost * tokens) / sum;
  }
  return { turns: Array.from(turns.values(), costOf), rest: Object.fromEntries(rest), total };
}

const keyOf = (turn: number, agent: AgentId) => `${turn} ${agent}`;

interface Turn {
  readonly turn: number;
  readonly agent: AgentId;
  readonly silent: boolean;
  written: number;
  delivered: number;
  writingCost: number;
  readonly readers: Map<AgentId, TokenCost>;
}

function addTo(costs: Map<AgentId, TokenCost>, agent: AgentId, tokens: number, cost: number): void {
  const tokenCost = costs.get(agent) ?? { tokens: 0, cost: 0 };
  costs.set(agent, { tokens: tokenCost.tokens + tokens, cost: tokenCost.cost + cost });
}

function costOf({ turn, agent, silent, written, delivered, writingCost, readers }: Turn): TurnCost {
  const part = (tokens: number): TokenCost => ({ tokens, cost: written === 0 ? 0 : (writingCost * tokens) / written });
  const isRead = readers.size > 0;
  const message = part(isRead ? Math.min(written, delivered) : 0);
  return {
    turn,
    agent,
    message: message.tokens,
    readers: Array.from(readers, ([to, { tokens, cost }]) => ({
      to,
      tokens,
      cost: cost + message.cost / readers.size,
    })),
    end: part(isRead || silent ? written - message.tokens : 0),
    unread: part(isRead || silent ? 0 : written),
  };
}

/** Cost of an edge. */
export interface EdgeCost extends TokenCost {
  readonly from: AgentId;
  readonly to: AgentId;
}

/** Edges, `end`, `unread` and `rest` sum to `total`. */
export interface CostSums {
  readonly edges: readonly EdgeCost[];
  readonly end: number;
  readonly unread: number;
  readonly rest: Readonly<Record<string, number>>;
  readonly total: number;
}

/** Means over episodes. */
export function meanBreakdown(breakdowns: readonly CostBreakdown[]): CostSums {
  const episodes = Math.max(1, breakdowns.length);
  const turns = breakdowns.flatMap((breakdown) => breakdown.turns);
  const edges = new Map<AgentId, Map<AgentId, TokenCost>>();
  for (const { agent, readers } of turns) {
    const registry = edges.get(agent) ?? new Map<AgentId, TokenCost>();
    edges.set(agent, registry);
    for (const { to, tokens, cost } of readers) addTo(registry, to, tokens, cost);
  }
  const rest = new Map<string, number>();
  for (const [name, cost] of breakdowns.flatMap((breakdown) => Object.entries(breakdown.rest)))
    rest.set(name, (rest.get(name) ?? 0) + cost);
  const mean = (costs: readonly number[]) => costs.reduce((sum, cost) => sum + cost, 0) / episodes;
  return {
    edges: [...edges].flatMap(([from, readers]) =>
      Array.from(readers, ([to, { tokens, cost }]) => ({ from, to, tokens: tokens / episodes, cost: cost / episodes })),
    ),
    end: mean(turns.map(({ end }) => end.cost)),
    unread: mean(turns.map(({ unread }) => unread.cost)),
    rest: Object.fromEntries(Array.from(rest, ([name, cost]) => [name, cost / episodes])),
    total: mean(breakdowns.map(({ total }) => total)),
  };
}
