import { inputError } from "@laconic/core";
import { grouped } from "@laconic/core/numeric";

/** @throws LaconicError `input_invalid` for different lengths */
export function groupRows(groups: ArrayLike<number>, rows: number): number[][] {
  const { length: found } = groups;
  if (found !== rows) throw inputError(`groups has ${found} entries for ${rows} episodes`, { expected: rows, found });
  return grouped(Array.from(groups).keys(), (row) => groups[row]);
}

/** Spread of at most 1e-12 of the largest magnitude, which is rounding. */
export function allEqual(values: readonly number[]): boolean {
  let min = Infinity;
  let max = -Infinity;
  for (const value of values) {
    min = Math.min(min, value);
    max = Math.max(max, value);
  }
  return max - min <= 1e-12 * Math.max(Math.abs(min), Math.abs(max));
}
