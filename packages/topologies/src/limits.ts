import { hardCap } from "@laconic/budget";
import type { AgentId, EpisodeLimits, StopReason } from "@laconic/core";
import { callsOf, type Turn } from "./turn.ts";

export interface Admission<T> {
  readonly speakers: readonly { readonly speaker: T; readonly maxTokens: number }[];
  /** Ends the episode after these speakers. */
  readonly limit: StopReason | null;
  readonly spent: readonly T[];
}

/**
 * Applies the limits to the next wave. Speakers share the team's remaining tokens equally, lines of an agent the
 * agent's.
 * @throws LaconicError `config_invalid`
 */
export function admit<T>(
  wave: readonly T[],
  agentOf: (speaker: T) => AgentId,
  turns: readonly Turn[],
  limits: EpisodeLimits = {},
): Admission<T> {
  const { maxTurns = Infinity, maxTokens = Infinity, maxTokensPerAgent } = limits;
  const allowanceOf = allowances(wave.map(agentOf), turns, maxTokensPerAgent);
  const able = wave.filter((speaker) => allowanceOf(agentOf(speaker)) >= 1);
  const spent = wave.filter((speaker) => !able.includes(speaker));

  const speakers = able.slice(0, Math.max(0, maxTurns - turns.length));
  const limit = speakers.length < able.length ? "turn_limit" : null;
  if (speakers.length === 0) return { speakers: [], limit, spent };

  const written = turns.flatMap(callsOf).reduce((sum, call) => sum + call.writtenTokens, 0);
  const maxTokensEach = Math.floor((maxTokens - written) / speakers.length);
  if (maxTokensEach < 1) return { speakers: [], limit: "token_limit", spent };
  return {
    speakers: speakers.map((speaker) => ({
      speaker,
      maxTokens: Math.min(maxTokensEach, allowanceOf(agentOf(speaker))),
    })),
    limit,
    spent,
  };
}

function allowances(
  agents: readonly AgentId[],
  turns: readonly Turn[],
  maxTokensPerAgent: number | undefined,
): (agent: AgentId) => number {
  if (maxTokensPerAgent === undefined) return () => Infinity;
  const cap = hardCap({ maxTokensPerAgent });
  const ledger = { calls: turns.flatMap(callsOf) };
  const item = new Map<AgentId, number>();
  for (const agent of new Set(agents)) {
    const allowance = cap.allowance(ledger, agent);
    const lines = agents.filter((other) => other === agent).length;
    item.set(agent, allowance.kind === "open" ? Math.floor(allowance.remainingTokens / lines) : 0);
  }
  return (agent) => item.get(agent) ?? 0;
}
