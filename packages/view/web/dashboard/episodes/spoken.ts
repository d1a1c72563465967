import { meanBreakdown } from "@laconic/core/ledger";
import type { EpisodeDetail, TeamSpeech } from "../../../src/protocol.ts";

interface Spoken extends TeamSpeech {
  readonly agents: readonly string[];
  readonly answerer: string | null;
}

/**
 * Includes all edges from the start, with zero tokens before their first message. Costs not tied to tokens are added
 * with the last turn.
 */
export function spokenUpTo({ turns, cost }: Pick<EpisodeDetail, "turns" | "cost">, count: number): Spoken {
  const agents = [...new Set(turns.map(({ agent }) => agent))];
  const isOver = count >= turns.length;
  const shown = turns.slice(0, count);
  const sofar = meanBreakdown([
    {
      ...cost,
      turns: cost.turns.filter((turn) => shown.some((other) => other.turn === turn.turn)),
      ...(!isOver && { rest: {} }),
    },
  ]);
  const edges = meanBreakdown([cost]).edges.map(
    (edge) =>
      sofar.edges.find(({ from, to }) => from === edge.from && to === edge.to) ?? { ...edge, tokens: 0, cost: 0 },
  );
  const paid = edges.reduce((sum, edge) => sum + edge.cost, sofar.end + sofar.unread);
  const byAgent = (valueOf: (turns: typeof shown) => number): Record<string, number> =>
    Object.fromEntries(agents.map((agent) => [agent, valueOf(shown.filter((turn) => turn.agent === agent))]));
  return {
    ...sofar,
    agents,
    edges,
    total: isOver ? cost.total : paid,
    written: byAgent((turn) => turn.reduce((sum, { writtenTokens }) => sum + writtenTokens, 0)),
    silence: byAgent((turn) => (turn.length === 0 ? 1 : turn.filter(({ silent }) => silent).length / turn.length)),
    answerer: answererOf(agents, edges),
  };
}

/** The only agent that reads but sends nothing; null if not unique. */
export function answererOf(
  agents: readonly string[],
  edges: readonly { readonly from: string; readonly to: string }[],
): string | null {
  const [senders, readers] = [new Set(edges.map(({ from }) => from)), new Set(edges.map(({ to }) => to))];
  const [answerer = null, second] = agents.filter((agent) => readers.has(agent) && !senders.has(agent));
  return second === undefined ? answerer : null;
}
