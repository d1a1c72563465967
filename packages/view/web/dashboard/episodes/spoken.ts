import { meanBreakdown, type CostSums } from "@laconic/core/ledger";
import type { EpisodeDetail } from "../../../src/protocol.ts";
import { answererOf } from "../speech/answerer.ts";

/** Who has told whom what in the first turns of a conversation, and what that cost. */
export interface Spoken extends CostSums {
  readonly agents: readonly string[];
  readonly written: Readonly<Record<string, number>>;
  readonly silence: Readonly<Record<string, number>>;
  readonly answerer: string | null;
}

/**
 * All edges of the conversation are in it from the beginning, without tokens until something was said along them. Costs that no
 * token pays come with the last turn.
 */
export function spokenUpTo({ turns, cost }: Pick<EpisodeDetail, "turns" | "cost">, count: number): Spoken {
  const agents = [...new Set(turns.map(({ agent }) => agent))];
  const isOver = count >= turns.length;
  const shown = turns.slice(0, count);
  const said = new Set(shown.map(({ turn }) => turn));
  const sofar = meanBreakdown([
    { ...cost, turns: cost.turns.filter(({ turn }) => said.has(turn)), ...(!isOver && { rest: {} }) },
  ]);
  const used = new Map(sofar.edges.map((edge) => [keyOf(edge), edge]));
  const edges = meanBreakdown([cost]).edges.map((edge) => used.get(keyOf(edge)) ?? { ...edge, tokens: 0, cost: 0 });
  const written: Record<string, number> = {};
  const silent: Record<string, number> = {};
  const spoke: Record<string, number> = {};
  for (const turn of shown) {
    written[turn.agent] = (written[turn.agent] ?? 0) + turn.writtenTokens;
    spoke[turn.agent] = (spoke[turn.agent] ?? 0) + 1;
    if (turn.silent) silent[turn.agent] = (silent[turn.agent] ?? 0) + 1;
  }
  const paid = edges.reduce((sum, edge) => sum + edge.cost, sofar.end + sofar.unread);
  return {
    ...sofar,
    agents,
    edges,
    total: isOver ? cost.total : paid,
    written,
    silence: Object.fromEntries(
      agents.map((agent) => [agent, spoke[agent] === undefined ? 1 : (silent[agent] ?? 0) / spoke[agent]]),
    ),
    answerer: answererOf({ agents, steps: [{ edges }] }),
  };
}

const keyOf = ({ from, to }: { readonly from: string; readonly to: string }): string => JSON.stringify([from, to]);
