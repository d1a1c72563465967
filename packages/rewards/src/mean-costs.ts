import type { MeasuredEpisode } from "./measure-episode.ts";

/** Mean units per episode by cost name, what a budget controller is fed (Eq. 5). NaN is left out; of nothing the mean is NaN. */
export function meanCosts(measured: readonly MeasuredEpisode[]): Readonly<Record<string, number>> {
  const names = Object.keys(measured[0]?.costs ?? {});
  return Object.fromEntries(
    names.map((name) => {
      const values = measured.map(({ costs }) => costs[name] ?? NaN).filter((value) => !Number.isNaN(value));
      return [name, values.reduce((sum, value) => sum + value, 0) / values.length];
    }),
  );
}
