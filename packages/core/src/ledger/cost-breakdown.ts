import type { Ledger, LedgerCall, LedgerRead } from "./ledger.ts";
import type { AgentId } from "../problem.ts";

/** Tokens that a cost counts: written ones, end tokens included, or read ones; of the whole team without `by` and `from`. */
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
  /** It charges what these agents write and read alone; the whole team when absent. */
  readonly agents?: ReadonlySet<AgentId>;
}

/** What one turn was charged, and where that goes. */
export interface TurnCost {
  readonly turn: number;
  readonly agent: AgentId;
  /** Written tokens that are its message: 0 where nobody reads it. */
  readonly message: number;
  /** Its message, per reader: tokens read, and what they cost. */
  readonly readers: readonly { readonly to: AgentId; readonly tokens: number; readonly cost: number }[];
  /** What it wrote beyond the message: its end token, or all of a silent turn. */
  readonly end: { readonly tokens: number; readonly cost: number };
  /** A turn that nobody reads, such as an answer, with its end token. */
  readonly unread: { readonly tokens: number; readonly cost: number };
}

/** An episode's cost in its reward: `turns` and `rest` add up to `total`. */
export interface CostBreakdown {
  readonly turns: readonly TurnCost[];
  /** Costs that no token pays, by name: turns, repetition, a user's own. */
  readonly rest: Readonly<Record<string, number>>;
  readonly total: number;
}

/** Units of a cost that is paid per token. Written tokens include end tokens, read ones do not; each reading counts. */
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
    if (kind === "tokens-written") yield { call, tokens: call.writtenTokens };
    else
      for (const read of call.reads)
        if (from === undefined || read.from === from) yield { call, read, tokens: read.tokens };
  }
}

type Units = Readonly<Record<string, number | null>>;

/**
 * What an episode was charged, from its reward.
 * @param units - by name of the cost, as the reward measured them
 * @param terms - of the reward
 * @param counts - costs that are paid per token, by name
 */
export function chargesOf(units: Units, terms: Units, counts: ReadonlyMap<string, TokenCount>): readonly Charge[] {
  return Object.entries(units).map(([name, measured]) => {
    const tokens = counts.get(name);
    return { name, cost: 0 - (terms[name] ?? 0), units: measured ?? Number.NaN, ...(tokens && { tokens }) };
  });
}

/**
 * Where the cost in an episode's reward goes: the one definition of what a token costs on every screen.
 *
 * - A message's written tokens are charged once, in equal shares to the edges to its readers; what each reader pays
 *   for reading is added to its edge.
 * - End tokens are written, so they are charged. No reader gets them, so they are on no edge.
 * - All other costs are in `rest`, and so is a cost that counted something else than its `tokens` say. A cost of NaN, which
 *   does not apply, is left out.
 */
export function costBreakdown(
  {
    ledger,
    utterances,
  }: {
    readonly ledger: Ledger;
    readonly utterances: readonly { readonly turn: number; readonly agent: AgentId; readonly silent: boolean }[];
  },
  charges: readonly Charge[],
): CostBreakdown {
  const silent = new Set(utterances.filter((each) => each.silent).map(({ turn, agent }) => keyOf(turn, agent)));
  const turns = new Map<string, Turn>();
  const turnOf = (turn: number, agent: AgentId, written: number): Turn => {
    const known = turns.get(keyOf(turn, agent)) ?? new Turn(turn, agent, silent.has(keyOf(turn, agent)));
    turns.set(keyOf(turn, agent), known);
    known.written += written;
    return known;
  };
  for (const call of ledger.calls) turnOf(call.turn, call.agent, call.writtenTokens);
  for (const call of ledger.calls)
    for (const read of call.reads) turnOf(read.turn, read.from, 0).hear(call.agent, read);
  const rest = new Map<string, number>();
  let total = 0;
  for (const { name, cost, units, tokens, agents } of charges) {
    if (cost === 0 || Number.isNaN(cost)) continue;
    total += cost;
    const parts = tokens ? [...counted(ledger, tokens, agents)] : [];
    const sum = parts.reduce((all, part) => all + part.tokens, 0);
    if (sum === 0 || sum !== units) rest.set(name, (rest.get(name) ?? 0) + cost);
    else
      for (const { call, read, tokens: share } of parts)
        if (read) turnOf(read.turn, read.from, 0).chargeReader(call.agent, (cost * share) / sum);
        else turnOf(call.turn, call.agent, 0).chargeWriter((cost * share) / sum);
  }
  return { turns: Array.from(turns.values(), (turn) => turn.toCost()), rest: Object.fromEntries(rest), total };
}

const keyOf = (turn: number, agent: AgentId): string => `${turn} ${agent}`;

class Turn {
  written = 0;
  readonly #turn: number;
  readonly #agent: AgentId;
  readonly #silent: boolean;
  #delivered = 0;
  #writing = 0;
  readonly #readers = new Map<AgentId, { tokens: number; cost: number }>();

  constructor(turn: number, agent: AgentId, silent: boolean) {
    [this.#turn, this.#agent, this.#silent] = [turn, agent, silent];
  }

  hear(reader: AgentId, { tokens }: LedgerRead): void {
    const known = this.#readers.get(reader) ?? { tokens: 0, cost: 0 };
    this.#readers.set(reader, { ...known, tokens: known.tokens + tokens });
    this.#delivered = Math.max(this.#delivered, tokens);
  }

  chargeReader(reader: AgentId, cost: number): void {
    const known = this.#readers.get(reader);
    if (known) known.cost += cost;
  }

  chargeWriter(cost: number): void {
    this.#writing += cost;
  }

  toCost(): TurnCost {
    const [written, silent] = [this.written, this.#silent];
    // What writing cost per token, of each of the three parts.
    const part = (tokens: number) => ({ tokens, cost: written === 0 ? 0 : (this.#writing * tokens) / written });
    const isRead = this.#readers.size > 0;
    const message = part(isRead ? Math.min(written, this.#delivered) : 0);
    return {
      turn: this.#turn,
      agent: this.#agent,
      message: message.tokens,
      readers: Array.from(this.#readers, ([to, { tokens, cost }]) => ({
        to,
        tokens,
        cost: cost + message.cost / this.#readers.size,
      })),
      end: part(isRead || silent ? written - message.tokens : 0),
      unread: part(isRead || silent ? 0 : written),
    };
  }
}

/** Tokens read along an edge, and their cost. */
export interface EdgeCost {
  readonly from: AgentId;
  readonly to: AgentId;
  readonly tokens: number;
  readonly cost: number;
}

/** Parts of a cost; edges, `end`, `unread` and `rest` add up to `total`. */
export interface CostSums {
  /** In the order in which they were first used. */
  readonly edges: readonly EdgeCost[];
  /** Of end tokens, and of silent turns. */
  readonly end: number;
  /** Of turns that nobody reads, such as answers. */
  readonly unread: number;
  readonly rest: Readonly<Record<string, number>>;
  readonly total: number;
}

/** Means of several episodes' costs, per edge and part; of one episode its sums. */
export function meanBreakdown(breakdowns: readonly CostBreakdown[]): CostSums {
  const episodes = Math.max(1, breakdowns.length);
  const edges = new Map<AgentId, Map<AgentId, { tokens: number; cost: number }>>();
  const rest = new Map<string, number>();
  let end = 0;
  let unread = 0;
  let total = 0;
  for (const breakdown of breakdowns) {
    total += breakdown.total;
    for (const [name, cost] of Object.entries(breakdown.rest)) rest.set(name, (rest.get(name) ?? 0) + cost);
    for (const turn of breakdown.turns) {
      end += turn.end.cost;
      unread += turn.unread.cost;
      const own = edges.get(turn.agent) ?? new Map<AgentId, { tokens: number; cost: number }>();
      edges.set(turn.agent, own);
      for (const { to, tokens, cost } of turn.readers) {
        const edge = own.get(to) ?? { tokens: 0, cost: 0 };
        own.set(to, { tokens: edge.tokens + tokens, cost: edge.cost + cost });
      }
    }
  }
  return {
    edges: [...edges].flatMap(([from, readers]) =>
      Array.from(readers, ([to, { tokens, cost }]) => ({
        from,
        to,
        tokens: tokens / episodes,
        cost: cost / episodes,
      })),
    ),
    end: end / episodes,
    unread: unread / episodes,
    rest: Object.fromEntries(Array.from(rest, ([name, cost]) => [name, cost / episodes])),
    total: total / episodes,
  };
}
