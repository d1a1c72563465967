import { group, type Estimator, type GroupShape, type RewardBatch, mapValues } from "@laconic/core";
import { decoupledAdvantages, type DecoupledOptions } from "./decoupled-advantages.ts";
import type { MeasuredReward } from "./measure-episode.ts";

type EstimatorSettings = Omit<DecoupledOptions, "weights">;

/** Option shape. */
export const decoupledShape: GroupShape<EstimatorSettings> = group<EstimatorSettings>({
  costs: {
    help: "Combination of costs: each z-scored, or centred and priced",
    shape: { kind: "choice", of: ["z-score", "centred"] },
  },
  std: {
    help: "Divisor of the variance: n - 1 or n",
    shape: { kind: "choice", of: ["sample", "population"] },
    optional: true,
    default: "sample",
  },
  epsilon: { help: "Added to a divisor", shape: "atLeast0", optional: true, default: 1e-4 },
  batch: {
    help: "Z-scores the sums once more over the batch",
    shape: { kind: "choice", of: ["none", "sequence"] },
    optional: true,
    default: "none",
  },
  costWhenTaskAtLeast: {
    help: "Charges costs only to episodes whose grade is at least this",
    shape: "shareAbove0",
    optional: true,
  },
});

/**
 * {@link decoupledAdvantages} as an estimator.
 * @throws LaconicError `config_invalid`
 */
export function decoupledEstimator(options: EstimatorSettings): Estimator {
  decoupledAdvantages([], [], { ...options, weights: {} });
  return {
    name: "decoupled",
    settings: { ...options },
    estimate: (batch) =>
      decoupledAdvantages(rowsOf(batch), batch.groups, { ...options, weights: batch.prices }, batch.weights),
  };
}

function rowsOf({ rewards, terms, costs }: RewardBatch): MeasuredReward[] {
  const rowOf = (columns: RewardBatch["terms"], row: number): Record<string, number> =>
    mapValues(columns, (values) => values[row]!);
  return Array.from(rewards, (_, row) => {
    const all = rowOf(terms, row);
    // NaN marks a missing term.
    const some = Object.entries(all).filter(([, value]) => !Number.isNaN(value));
    const { task = some.reduce((sum, [, value]) => sum + value, 0) } = Object.fromEntries(some);
    return { task: some.length === 0 ? NaN : task, terms: all, costs: rowOf(costs, row) };
  });
}
