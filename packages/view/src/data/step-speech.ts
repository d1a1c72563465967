import type { AgentId } from "@laconic/core";
import type { SpeechEdge, SpeechStep } from "../protocol.ts";
import type { EpisodeContent, UtteranceContent } from "@laconic/trainer/reading";
import { readPrice, writtenPrice, type TokenCosts } from "./token-price.ts";

type Terms = Readonly<Record<string, number | null>>;

/** What a step charged: the team's prices, and those of policies that pay for themselves. */
export interface StepPrices {
  readonly team: Terms;
  readonly policies: readonly { readonly agents: readonly AgentId[]; readonly prices: Terms }[];
}

/** Those that an agent's words are charged with. */
export function pricesOf({ team, policies }: StepPrices, agent: AgentId): Terms {
  return policies.find(({ agents }) => agents.includes(agent))?.prices ?? team;
}

interface Played {
  readonly episode: Pick<EpisodeContent, "ledger">;
  readonly utterances: readonly UtteranceContent[];
}

/** Who spoke to whom in the episodes of a step. */
export function speechOf(step: number, played: readonly Played[], costs: TokenCosts, prices: StepPrices): SpeechStep {
  const count = Math.max(1, played.length);
  const written = new Map<AgentId, number>();
  const turns = new Map<AgentId, { all: number; silent: number }>();
  const edges = new Map<AgentId, Map<AgentId, number>>();
  for (const { episode, utterances } of played) {
    for (const call of episode.ledger.calls) {
      written.set(call.agent, (written.get(call.agent) ?? 0) + call.writtenTokens);
      for (const { from, tokens } of call.reads) {
        const receivers = edges.get(from) ?? new Map<AgentId, number>();
        edges.set(from, receivers);
        receivers.set(call.agent, (receivers.get(call.agent) ?? 0) + tokens);
      }
    }
    for (const { agent, silent } of utterances) {
      const own = turns.get(agent) ?? { all: 0, silent: 0 };
      turns.set(agent, own);
      own.all += 1;
      if (silent) own.silent += 1;
    }
  }
  const edge = (from: AgentId, to: AgentId, sum: number): SpeechEdge => {
    const own = pricesOf(prices, from);
    const tokens = sum / count;
    return { from, to, tokens, price: tokens * (writtenPrice(costs, own, from) + readPrice(costs, own, from, to)) };
  };
  return {
    step,
    episodes: played.length,
    edges: [...edges].flatMap(([from, receivers]) => [...receivers].map(([to, sum]) => edge(from, to, sum))),
    written: Object.fromEntries([...written].map(([agent, sum]) => [agent, sum / count])),
    silence: Object.fromEntries([...turns].map(([agent, { all, silent }]) => [agent, silent / all])),
    prices: Object.fromEntries(Object.entries(prices.team).map(([name, price]) => [name, price ?? 0])),
  };
}
