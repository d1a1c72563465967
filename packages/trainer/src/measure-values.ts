import type { Episode } from "@laconic/core";
import type { RewardOutcome } from "@laconic/rewards";

interface MeasuredEpisode {
  readonly episode: Pick<Episode, "measures">;
  readonly score?: RewardOutcome | null;
}

/**
 * Values of each reward measure, one per scored episode that has it. A count recorded by an environment in any of
 * `among` defaults to 0.
 * @param among - default `some`
 */
export function measureValues(
  some: readonly MeasuredEpisode[],
  among: readonly MeasuredEpisode[] = some,
): ReadonlyMap<string, readonly number[]> {
  const measuresOf = (measuredEpisode: MeasuredEpisode): Readonly<Record<string, number>>[] =>
    measuredEpisode.score?.status === "scored" ? [measuredEpisode.score.reward.measures ?? {}] : [];
  const names = new Set(among.flatMap(measuresOf).flatMap((measures) => Object.keys(measures)));
  const recorded = new Set(among.flatMap(({ episode }) => Object.keys(episode.measures ?? {})));
  const measures = some.flatMap(measuresOf);
  return new Map(
    [...names].map((name) => {
      const missing = recorded.has(name) ? 0 : Number.NaN;
      return [name, measures.map(({ [name]: value = missing }) => value).filter((value) => !Number.isNaN(value))];
    }),
  );
}
