import { LaconicError } from "@laconic/core";
import type { MeasuredEpisode } from "./measure-episode.ts";

/**
 * Mean units per episode by cost name, what a budget controller is fed (Eq. 5). NaN is left out; of nothing the mean is NaN.
 * @throws LaconicError `numeric_invalid` naming the cost whose sum overflows.
 */
export function meanCosts(measured: readonly MeasuredEpisode[]): Readonly<Record<string, number>> {
  const names = Object.keys(measured[0]?.costs ?? {});
  return Object.fromEntries(
    names.map((name) => {
      const values = measured.map(({ costs }) => costs[name] ?? NaN).filter((value) => !Number.isNaN(value));
      const sum = values.reduce((total, value) => total + value, 0);
      if (Math.abs(sum) === Infinity)
        throw new LaconicError("numeric_invalid", `cost "${name}": the sum of ${values.length} episodes overflows`, {
          name,
        });
      return [name, sum / values.length];
    }),
  );
}
