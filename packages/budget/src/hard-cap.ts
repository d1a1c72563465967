import { isCutShort, LaconicError, ledgerTotals, type AgentId, type Episode, type Ledger } from "@laconic/core";

/** Limits of tokens written in an episode; what is absent is not limited. */
export interface HardCapOptions {
  /** Most tokens the team writes in one episode. */
  readonly maxTokensPerEpisode?: number;
  /** Most tokens one agent writes in one episode. */
  readonly maxTokensPerAgent?: number;
}

/** What an agent may still write. */
export type Allowance =
  | { readonly kind: "open"; readonly remainingTokens: number }
  | { readonly kind: "spent"; readonly limit: "episode" | "agent" };

/** The second layer: a price steers the mean, a cap binds every episode. */
export interface HardCap {
  /** The next call's allowance, given the calls so far. */
  allowance(ledger: Ledger, agent: AgentId): Allowance;
}

/** @throws LaconicError `config_invalid` naming the key. */
export function hardCap({ maxTokensPerEpisode, maxTokensPerAgent }: HardCapOptions): HardCap {
  checkCap("maxTokensPerEpisode", maxTokensPerEpisode);
  checkCap("maxTokensPerAgent", maxTokensPerAgent);
  if (maxTokensPerEpisode === undefined && maxTokensPerAgent === undefined)
    refuse("maxTokensPerEpisode", "is missing, and so is maxTokensPerAgent; a cap needs one of them");
  const episodeCap = maxTokensPerEpisode ?? Infinity;
  const agentCap = maxTokensPerAgent ?? Infinity;
  if (maxTokensPerAgent !== undefined && agentCap >= episodeCap)
    refuse("maxTokensPerAgent", `${agentCap} has no effect beside maxTokensPerEpisode, ${episodeCap}`);

  return {
    allowance(ledger, agent) {
      const { writtenTokens, writtenByAgent } = ledgerTotals(ledger);
      const ofEpisode = episodeCap - writtenTokens;
      const ofAgent = agentCap - (writtenByAgent[agent] ?? 0);
      if (ofEpisode < 1) return { kind: "spent", limit: "episode" };
      if (ofAgent < 1) return { kind: "spent", limit: "agent" };
      return { kind: "open", remainingTokens: Math.min(ofEpisode, ofAgent) };
    },
  };
}

/** Share of episodes cut by a token limit, as a whole or in an utterance; 0 of none. */
export function truncatedShare(episodes: readonly Episode[]): number {
  const truncated = episodes.filter(
    ({ stopReason, utterances }) =>
      stopReason === "token_limit" ||
      stopReason === "truncated" ||
      utterances.some(({ finishReason }) => isCutShort(finishReason)),
  );
  return episodes.length === 0 ? 0 : truncated.length / episodes.length;
}

function checkCap(key: string, value: number | undefined): void {
  if (value !== undefined && !(Number.isInteger(value) && value >= 1))
    refuse(key, `${value} is not a whole number from 1`);
}

function refuse(key: string, reason: string): never {
  throw new LaconicError("config_invalid", `hardCap.${key}: ${reason}`, { key: `hardCap.${key}` });
}
