import type { AgentId, Ledger, Utterance } from "@laconic/core";
import { costBreakdown, meanBreakdown, silenceRates, type Charge } from "@laconic/core/ledger";
import type { TeamSpeech } from "../protocol.ts";

interface SpokenEpisode {
  readonly ledger: Ledger;
  readonly utterances: readonly Pick<Utterance, "turn" | "agent" | "silent">[];
  readonly charges: readonly Charge[];
}

export function teamSpeech(episodes: readonly SpokenEpisode[]): TeamSpeech {
  const written = new Map<AgentId, number>();
  for (const { ledger } of episodes)
    for (const { agent, writtenTokens } of ledger.calls) written.set(agent, (written.get(agent) ?? 0) + writtenTokens);
  const count = Math.max(1, episodes.length);
  return {
    written: Object.fromEntries(Array.from(written, ([agent, sum]) => [agent, sum / count])),
    silence: silenceRates(episodes.flatMap(({ utterances }) => utterances)),
    ...meanBreakdown(episodes.map(({ ledger, utterances, charges }) => costBreakdown({ ledger, utterances }, charges))),
  };
}
