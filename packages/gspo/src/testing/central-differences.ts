import type { Objective, ObjectiveInput } from "@laconic/core";

/** d loss / d log π by central differences, to check gradients. */
export function centralDifferences(objective: Objective, input: ObjectiveInput, step = 1e-6): Float64Array {
  const { values, offsets } = input.logProbs;
  const lossAt = (token: number, delta: number): number => {
    const moved = Float64Array.from(values);
    moved[token] = (moved[token] as number) + delta;
    return objective.evaluate({ ...input, logProbs: { values: moved, offsets } }).loss;
  };
  return Float64Array.from(values, (_, token) => (lossAt(token, step) - lossAt(token, -step)) / (2 * step));
}
