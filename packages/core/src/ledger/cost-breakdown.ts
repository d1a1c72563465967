import type { Ledger, LedgerCall, LedgerRead } from "./ledger.ts";
import type { AgentId } from "../problem.ts";

/** Tokens that a cost counts: written ones with end tokens, or read ones; of the whole team without `by` and `from`. */
export interface TokenCount {
  readonly kind: "tokens-written" | "tokens-read";
  /** Written or read by this agent alone. */
  readonly by?: AgentId;
  /** Read from this sender alone. */
  readonly from?: AgentId;
}

/** A cost as an episode's reward charges it. */
export interface Charge {
  readonly name: string;
  /** Price times units: the term of the reward, without its sign. */
  readonly cost: number;
  /** As the reward measured it. */
  readonly units: number;
  /** What it counts, for a cost that is paid per token. */
  readonly tokens?: TokenCount;
  /** Charged agents; default the whole team. */
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
  /** Written tokens that are its message: 0 without readers. */
  readonly message: number;
  /** Tokens and cost by reader. */
  readonly readers: readonly (TokenCost & { readonly to: AgentId })[];
  /** Tokens beyond the message: the end token, or all of a silent turn. */
  readonly end: TokenCost;
  /** A turn without readers, such as an answer, with its end token. */
  readonly unread: TokenCost;
}

/** An episode's cost in its reward: `turns` and `rest` add up to `total`. */
export interface CostBreakdown {
  readonly turns: readonly TurnCost[];
  /** Costs that are not per token, by name: turns, repetition, custom costs. */
  readonly rest: Readonly<Record<string, number>>;
  readonly total: number;
}

/** Units of a token cost. Written tokens include end tokens, read ones do not; each reading counts. */
export function countTokens(ledger: Ledger, count: TokenCount): number {
  let sum = 0;
  for (const { tokens } of counted(ledger, count)) sum += tokens;
  return sum;
}

/** Calls that a cost counts, or what was read in them. */
function* counted(
  { calls }: Ledger,
  { kind, by, from }: TokenCount,
  agents?: ReadonlySet<AgentId>,
): Generator<{ readonly call: LedgerCall; readonly read?: LedgerRead; readonly tokens: number }> {
  for (const call of calls) {
    if ((by !== undefined && call.agent !== by) || (agents && !agents.has(call.agent))) continue;
    switch (kind) {
      case "tokens-written":
        yield { call, tokens: call.writtenTokens };
        break;
      case "tokens-read":
        for (const read of call.reads)
          if (from === undefined || read.from === from) yield { call, read, tokens: read.tokens };
    }
  }
}

type Units = Readonly<Record<string, number | null>>;

/**
 * Charges of an episode, from the measured `units` and the reward's `terms` by cost name.
 * @param counts - of the costs per token, by name
 */
export function chargesOf(units: Units, terms: Units, counts: ReadonlyMap<string, TokenCount>): readonly Charge[] {
  return Object.entries(units).map(([name, measured]) => {
    const tokens = counts.get(name);
    return { name, cost: 0 - (terms[name] ?? 0), units: measured ?? Number.NaN, ...(tokens && { tokens }) };
  });
}

/**
 * Divides the cost in an episode's reward over turns and edges.
 * - Written tokens of a message are charged once, in equal shares to the edges to its readers, plus what each pays for reading.
 * - End tokens are charged, on no edge.
 * - Other costs, and costs whose units differ from their `tokens`, are in `rest`. NaN, "does not apply", is left out.
 */
export function costBreakdown(
  episode: {
    readonly ledger: Ledger;
    readonly utterances: readonly { readonly turn: number; readonly agent: AgentId; readonly silent: boolean }[];
  },
  charges: readonly Charge[],
): CostBreakdown {
  const { calls } = episode.ledger;
  const silent = new Set(episode.utterances.flatMap((each) => (each.silent ? keyOf(each.turn, each.agent) : [])));
  const turns = new Map<string, Turn>();
  const turnOf = (turn: number, agent: AgentId): Turn => {
    const key = keyOf(turn, agent);
    const known = turns.get(key);
    if (known) return known;
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

const keyOf = (turn: number, agent: AgentId): string => `${turn} ${agent}`;

interface Turn {
  readonly turn: number;
  readonly agent: AgentId;
  readonly silent: boolean;
  written: number;
  /** Tokens of its message that a reader got. */
  delivered: number;
  writingCost: number;
  readonly readers: Map<AgentId, TokenCost>;
}

function addTo(costs: Map<AgentId, TokenCost>, agent: AgentId, tokens: number, cost: number): void {
  const known = costs.get(agent) ?? { tokens: 0, cost: 0 };
  costs.set(agent, { tokens: known.tokens + tokens, cost: known.cost + cost });
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

/** Tokens read along an edge, and their cost. */
export interface EdgeCost extends TokenCost {
  readonly from: AgentId;
  readonly to: AgentId;
}

/** Parts of a cost; edges, `end`, `unread` and `rest` add up to `total`. */
export interface CostSums {
  /** In the order in which they were first used. */
  readonly edges: readonly EdgeCost[];
  /** Of end tokens, and of silent turns. */
  readonly end: number;
  /** Of turns without readers, such as answers. */
  readonly unread: number;
  readonly rest: Readonly<Record<string, number>>;
  readonly total: number;
}

/** Means over episodes per edge and part. */
export function meanBreakdown(breakdowns: readonly CostBreakdown[]): CostSums {
  const episodes = Math.max(1, breakdowns.length);
  const turns = breakdowns.flatMap((breakdown) => breakdown.turns);
  const edges = new Map<AgentId, Map<AgentId, TokenCost>>();
  for (const { agent, readers } of turns) {
    const known = edges.get(agent) ?? new Map<AgentId, TokenCost>();
    edges.set(agent, known);
    for (const { to, tokens, cost } of readers) addTo(known, to, tokens, cost);
  }
  const rest = new Map<string, number>();
  for (const [name, cost] of breakdowns.flatMap((breakdown) => Object.entries(breakdown.rest)))
    rest.set(name, (rest.get(name) ?? 0) + cost);
  const mean = (costs: readonly number[]): number => costs.reduce((sum, cost) => sum + cost, 0) / episodes;
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
