import type { EpisodeContext, Problem, Random } from "@laconic/core";
import type { RewardOutcome } from "@laconic/rewards";
import type { Opponent } from "../opponents/games.ts";
import type { Rollout, RolloutTree } from "../rollout.ts";

/** Episodes of a group or of one part. */
export interface SampledGroup {
  readonly rollouts: readonly Rollout[];
  readonly trees?: readonly RolloutTree[] | undefined;
  /** Score outcomes of its episodes, or of its trees' joint replies. */
  readonly scores: readonly (RewardOutcome | null)[];
}

/** A problem in its step, with its models. */
export interface GroupPlace {
  readonly problem: Problem;
  /** Index of the problem in the step; names its random streams. */
  readonly group: number;
  /** Random stream of the step's rollouts. */
  readonly random: Random;
  readonly models: EpisodeContext["models"];
  /** Opponent of an episode; null for none. */
  readonly opponentOf?: (episode: number) => Opponent | null;
}

/** Group of a problem, played in independent parts: its episodes, or its tree. */
export interface GroupRollout {
  readonly parts: number;
  /**
   * @param attempt - number of earlier failures; each attempt uses other random numbers
   * @throws errors of the models
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

/** Plays all parts concurrently; a local policy serves them in few large batches. */
export async function playAll(games: readonly GroupRollout[]): Promise<SampledGroup> {
  const played = games.map((game) => Promise.all(Array.from({ length: game.parts }, (_, part) => game.play(part))));
  return joined((await Promise.all(played)).flat());
}

/**
 * Retries up to `retries` times.
 * @param stops - whether an error rules out a retry
 * @throws error of the last attempt
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

/** Random stream of an attempt; the first uses `random` itself. */
export function streamOfAttempt(random: Random, attempt: number): Random {
  return attempt === 0 ? random : random.split(`attempt:${attempt}`);
}
