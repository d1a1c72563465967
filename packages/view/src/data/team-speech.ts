import type { AgentId, Ledger, Utterance } from "@laconic/core";
import { costBreakdown, meanBreakdown, type Charge } from "@laconic/core/ledger";
import type { TeamSpeech } from "../protocol.ts";

interface SpokenEpisode {
  readonly ledger: Ledger;
  readonly utterances: readonly Pick<Utterance, "turn" | "agent" | "silent">[];
  readonly charges: readonly Charge[];
}

/** Means of some episodes. */
export function teamSpeech(episodes: readonly SpokenEpisode[]): TeamSpeech {
  const written = new Map<AgentId, number>();
  const turns = new Map<AgentId, { all: number; silent: number }>();
  for (const { ledger, utterances } of episodes) {
    for (const { agent, writtenTokens } of ledger.calls) written.set(agent, (written.get(agent) ?? 0) + writtenTokens);
    for (const { agent, silent } of utterances) {
      const sums = turns.get(agent) ?? { all: 0, silent: 0 };
      turns.set(agent, { all: sums.all + 1, silent: sums.silent + Number(silent) });
    }
  }
  const count = Math.max(1, episodes.length);
  return {
    written: Object.fromEntries(Array.from(written, ([agent, sum]) => [agent, sum / count])),
    silence: Object.fromEntries(Array.from(turns, ([agent, { all, silent }]) => [agent, silent / all])),
    ...meanBreakdown(episodes.map(({ ledger, utterances, charges }) => costBreakdown({ ledger, utterances }, charges))),
  };
}
