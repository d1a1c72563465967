import type { EpisodeLimits, StopReason } from "@laconic/core";
import type { Turn } from "./speak.ts";

/** Who of a wave may still speak, and how much. */
export interface Admission<T> {
  readonly speakers: readonly T[];
  /** The tokens left, shared equally: whoever finishes first, no wave passes the ceiling. */
  readonly maxTokensEach: number;
  /** The limit that keeps someone silent, or null: the episode ends after these speakers. */
  readonly limit: StopReason | null;
}

/** Applies the ceilings of an episode to its next wave. Turns go to the first in the order given. */
export function admit<T>(wave: readonly T[], turns: readonly Turn[], limits: EpisodeLimits = {}): Admission<T> {
  const { maxTurns = Infinity, maxTokens = Infinity } = limits;
  const speakers = wave.slice(0, Math.max(0, maxTurns - turns.length));
  const limit = speakers.length < wave.length ? "turn_limit" : null;
  if (speakers.length === 0) return { speakers, maxTokensEach: 0, limit };

  const written = turns.reduce((sum, turn) => sum + turn.call.writtenTokens, 0);
  const maxTokensEach = Math.floor((maxTokens - written) / speakers.length);
  return maxTokensEach < 1
    ? { speakers: [], maxTokensEach: 0, limit: "token_limit" }
    : { speakers, maxTokensEach, limit };
}
