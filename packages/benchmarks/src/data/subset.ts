import { LaconicError, randomFromSeed } from "@laconic/core";

/**
 * The first `limit` problems of a seeded shuffle. The same seed gives the same order for the same problems, and a smaller
 * limit the beginning of a larger one.
 * @throws LaconicError `config_invalid` for a limit that is no whole number from 1 up to the number of problems
 */
export function seededSubset<T>(problems: readonly T[], options: { limit?: number; seed: string | number }): T[] {
  const { limit = problems.length, seed } = options;
  if (!Number.isInteger(limit) || limit < 1 || limit > problems.length)
    throw new LaconicError(
      "config_invalid",
      `limit is ${limit}, expected a whole number from 1 to ${problems.length}`,
      {
        key: "limit",
      },
    );
  return randomFromSeed(`subset:${seed}`).shuffle(problems).slice(0, limit);
}
