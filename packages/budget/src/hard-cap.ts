import { isCutShort, ledgerTotals, refuseSetting, type AgentId, type Episode, type Ledger } from "@laconic/core";

/** Default: no limit. */
export interface HardCapOptions {
  readonly maxTokensPerEpisode?: number;
  readonly maxTokensPerAgent?: number;
}

export type Allowance =
  | { readonly kind: "open"; readonly remainingTokens: number }
  | { readonly kind: "spent"; readonly limit: "episode" | "agent" };

export interface HardCap {
  allowance(ledger: Ledger, agent: AgentId): Allowance;
}

/**
 * Creates a cap.
 * @throws LaconicError `config_invalid`
 */
export function hardCap({ maxTokensPerEpisode, maxTokensPerAgent }: HardCapOptions): HardCap {
  checkCap("maxTokensPerEpisode", maxTokensPerEpisode);
  checkCap("maxTokensPerAgent", maxTokensPerAgent);
  if (maxTokensPerEpisode === undefined && maxTokensPerAgent === undefined)
    refuse("maxTokensPerEpisode", "is missing, and so is maxTokensPerAgent; a cap needs one of them");
  const episodeCap = maxTokensPerEpisode ?? Infinity;
  const agentCap = maxTokensPerAgent ?? Infinity;
  if (maxTokensPerAgent !== undefined && agentCap >= episodeCap)
    refuse("maxTokensPerAgent", `${agentCap} has no effect with maxTokensPerEpisode, ${episodeCap}`);

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

/** Share of episodes cut by a token limit; 0 without episodes. */
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
  refuseSetting(`hardCap.${key}`, reason);
}
