import type { EpisodeContext, Problem, Random } from "@laconic/core";
import type { RewardOutcome } from "@laconic/rewards";
import type { Opponent } from "../opponents/games.ts";
import type { Rollout, RolloutTree } from "../rollout.ts";

/** What a group came to, or a part of it. */
export interface SampledGroup {
  readonly rollouts: readonly Rollout[];
  readonly trees?: readonly RolloutTree[] | undefined;
  /** What became of the scores of its episodes, or of its trees' joint replies. */
  readonly scores: readonly (RewardOutcome | null)[];
}

/** A problem in its step, and who plays it. */
export interface GroupPlace {
  readonly problem: Problem;
  /** Position among the problems of its step, which names its random streams. */
  readonly group: number;
  /** Of the rollouts of its step. */
  readonly random: Random;
  readonly models: EpisodeContext["models"];
  /** Opponent of an episode; null without one. */
  readonly opponentOf?: (episode: number) => Opponent | null;
}

/** A problem's group, played in independent parts: its episodes, or its tree. */
export interface GroupRollout {
  readonly parts: number;
  /**
   * @param attempt - how often the part has failed before; each draws random numbers of its own
   * @throws what models throw
   */
  play(part: number, attempt?: number, signal?: AbortSignal): Promise<SampledGroup>;
}

export function joined(sampled: readonly SampledGroup[]): SampledGroup {
  const trees = sampled.flatMap((each) => each.trees ?? []);
  return {
    rollouts: sampled.flatMap(({ rollouts }) => rollouts),
    ...(sampled.some((each) => each.trees) && { trees }),
    scores: sampled.flatMap(({ scores }) => scores),
  };
}

/** Plays all parts at once: a local policy serves them as few large batches. */
export async function playAll(games: readonly GroupRollout[]): Promise<SampledGroup> {
  const played = games.map((game) => Promise.all(Array.from({ length: game.parts }, (_, part) => game.play(part))));
  return joined((await Promise.all(played)).flat());
}

/**
 * Plays until it does not fail, or has failed once more than `retries` times.
 * @param stops - whether a failure is the last, whatever it was
 * @throws what the last attempt throws
 */
export async function attempts<T>(
  retries: number,
  play: (attempt: number) => Promise<T>,
  { stops = () => false, failed = () => undefined }: { stops?: () => boolean; failed?: () => void } = {},
): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await play(attempt);
    } catch (error) {
      if (attempt >= retries || stops()) throw error;
      failed();
    }
  }
}

/** Random stream of an attempt; the first uses the stream itself. */
export function streamOfAttempt(random: Random, attempt: number): Random {
  return attempt === 0 ? random : random.split(`attempt:${attempt}`);
}
