import type { EpisodeContext, Problem, Random } from "@laconic/core";
import type { RewardOutcome } from "@laconic/rewards";
import type { Opponent } from "../opponents/games.ts";
import type { Rollout, RolloutTree } from "../rollout.ts";

export interface SampledGroup {
  readonly rollouts: readonly Rollout[];
  readonly trees?: readonly RolloutTree[] | undefined;
  /** Outcomes of episodes, or of trees' joint replies. */
  readonly scores: readonly (RewardOutcome | null)[];
}

export interface TakenGroups extends SampledGroup {
  /** Age of each group's weights in steps; empty for the newest. */
  readonly lags: readonly number[];
}

export interface GroupPlace {
  readonly problem: Problem;
  /** Problem index in the step; names random streams. */
  readonly group: number;
  readonly random: Random;
  readonly models: EpisodeContext["models"];
  /** Returns null for episodes without opponents. */
  readonly opponentOf?: (episode: number) => Opponent | null;
}

export interface GroupRollout {
  readonly parts: number;
  /** @param attempt - earlier failures; changes the random numbers @throws errors of the models */
  play(part: number, attempt?: number, signal?: AbortSignal): Promise<SampledGroup>;
}

export function joined(sampled: readonly SampledGroup[]): SampledGroup {
  const trees = sampled.flatMap((group) => group.trees ?? []);
  return {
    rollouts: sampled.flatMap(({ rollouts }) => rollouts),
    ...(sampled.some((group) => group.trees) && { trees }),
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
 * @param stops - true for errors without retry
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

export function streamOfAttempt(random: Random, attempt: number): Random {
  return attempt === 0 ? random : random.split(`attempt:${attempt}`);
}
