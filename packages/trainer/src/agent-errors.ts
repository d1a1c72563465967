import type { Episode } from "@laconic/core";

export function agentErrorOf(episodes: readonly Pick<Episode, "stopReason" | "notes">[]): string | null {
  const ended = episodes.find(({ stopReason }) => stopReason === "error");
  return ended ? (ended.notes?.at(-1) ?? "its topology does not say which") : null;
}

export function agentErrorWarning(episodes: readonly Pick<Episode, "stopReason" | "notes">[]): string | null {
  const error = agentErrorOf(episodes);
  return error && `some episodes ended with an agent error and are left out (stop/error), such as: ${error}`;
}
