import type { EpisodeDetail, SpeechEdge } from "../../../src/protocol.ts";
import { answererOf } from "../speech/answerer.ts";

/** Who has told whom what in the first turns of a conversation. */
export interface Spoken {
  readonly agents: readonly string[];
  readonly edges: readonly SpeechEdge[];
  readonly written: Readonly<Record<string, number>>;
  readonly silence: Readonly<Record<string, number>>;
  readonly answerer: string | null;
}

/** All edges of the conversation stand in it from the beginning, without tokens until something was said along them. */
export function spokenUpTo({ turns, prices }: Pick<EpisodeDetail, "turns" | "prices">, count: number): Spoken {
  const agents = [...new Set(turns.map(({ agent }) => agent))];
  const lambda = prices["tokens"] ?? 0;
  const edges = new Map<string, { from: string; to: string; tokens: number; price: number }>();
  const written: Record<string, number> = {};
  const silent: Record<string, number> = {};
  const spoke: Record<string, number> = {};
  for (const [i, turn] of turns.entries()) {
    for (const to of turn.deliveredTo) {
      const key = JSON.stringify([turn.agent, to]);
      const edge = edges.get(key) ?? { from: turn.agent, to, tokens: 0, price: 0 };
      edges.set(key, edge);
      if (i >= count || turn.silent) continue;
      edge.tokens += turn.writtenTokens;
      edge.price += turn.writtenTokens * lambda;
    }
    if (i >= count) continue;
    written[turn.agent] = (written[turn.agent] ?? 0) + turn.writtenTokens;
    spoke[turn.agent] = (spoke[turn.agent] ?? 0) + 1;
    if (turn.silent) silent[turn.agent] = (silent[turn.agent] ?? 0) + 1;
  }
  const list = [...edges.values()];
  return {
    agents,
    edges: list,
    written,
    silence: Object.fromEntries(
      agents.map((agent) => [agent, spoke[agent] === undefined ? 1 : (silent[agent] ?? 0) / spoke[agent]]),
    ),
    answerer: answererOf({ agents, steps: [{ edges: list }] }),
  };
}
