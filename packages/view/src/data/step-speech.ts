import type { AgentId } from "@laconic/core";
import { meanBreakdown, type CostBreakdown } from "@laconic/core/ledger";
import type { SpeechStep } from "../protocol.ts";
import type { StoredEpisode, StoredUtterance } from "@laconic/core/run-folder";

interface Played {
  readonly episode: Pick<StoredEpisode, "ledger">;
  readonly utterances: readonly StoredUtterance[];
  readonly cost: CostBreakdown;
}

/** Who spoke to whom in the episodes of a step, and where its costs went. */
export function speechOf(
  step: number,
  played: readonly Played[],
  prices: Readonly<Record<string, number | null>>,
): SpeechStep {
  const count = Math.max(1, played.length);
  const written = new Map<AgentId, number>();
  const turns = new Map<AgentId, { all: number; silent: number }>();
  for (const { episode, utterances } of played) {
    for (const call of episode.ledger.calls)
      written.set(call.agent, (written.get(call.agent) ?? 0) + call.writtenTokens);
    for (const { agent, silent } of utterances) {
      const own = turns.get(agent) ?? { all: 0, silent: 0 };
      turns.set(agent, own);
      own.all += 1;
      if (silent) own.silent += 1;
    }
  }
  return {
    step,
    episodes: played.length,
    ...meanBreakdown(played.map(({ cost }) => cost)),
    written: Object.fromEntries([...written].map(([agent, sum]) => [agent, sum / count])),
    silence: Object.fromEntries([...turns].map(([agent, { all, silent }]) => [agent, silent / all])),
    prices: Object.fromEntries(Object.entries(prices).map(([name, price]) => [name, price ?? 0])),
  };
}
