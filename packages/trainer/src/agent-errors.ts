import type { Episode } from "@laconic/core";

/** What ended the first of the episodes that an agent's error ended, as its topology notes it; null where none did. */
export function agentErrorOf(episodes: readonly Pick<Episode, "stopReason" | "notes">[]): string | null {
  const ended = episodes.find(({ stopReason }) => stopReason === "error");
  return ended ? (ended.notes?.at(-1) ?? "its topology does not say which") : null;
}

/** The same as a warning: such episodes are missing in every figure. */
export function agentErrorWarning(episodes: readonly Pick<Episode, "stopReason" | "notes">[]): string | null {
  const error = agentErrorOf(episodes);
  return error && `some episodes ended with an agent's error and are left out (stop/error), such as: ${error}`;
}
