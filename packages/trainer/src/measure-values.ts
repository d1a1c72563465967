import type { Episode } from "@laconic/core";
import type { RewardOutcome } from "@laconic/rewards";

interface MeasuredEpisode {
  readonly episode: Pick<Episode, "measures">;
  readonly score?: RewardOutcome | null;
}

/**
 * Values of each reward measure by name, one per scored episode that has it. A count that an environment recorded in
 * any of `among` is 0 in episodes without it; measures missing for another reason are skipped.
 * @param among - default `some`
 */
export function measureValues(
  some: readonly MeasuredEpisode[],
  among: readonly MeasuredEpisode[] = some,
): ReadonlyMap<string, readonly number[]> {
  const given = (each: MeasuredEpisode): Readonly<Record<string, number>>[] =>
    each.score?.status === "scored" ? [each.score.reward.measures ?? {}] : [];
  const names = new Set(among.flatMap(given).flatMap((measures) => Object.keys(measures)));
  const recorded = new Set(among.flatMap(({ episode }) => Object.keys(episode.measures ?? {})));
  const measures = some.flatMap(given);
  return new Map(
    [...names].map((name) => {
      const missing = recorded.has(name) ? 0 : Number.NaN;
      return [name, measures.map(({ [name]: value = missing }) => value).filter((value) => !Number.isNaN(value))];
    }),
  );
}
