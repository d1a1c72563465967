import { inputError } from "@laconic/core";

/** @throws LaconicError `input_invalid` for different lengths */
export function groupRows(groups: ArrayLike<number>, rows: number): number[][] {
  if (groups.length !== rows)
    throw inputError(`groups has ${groups.length} entries for ${rows} episodes`, {
      expected: rows,
      found: groups.length,
    });
  const byGroup = new Map<number, number[]>();
  for (let row = 0; row < rows; row++) {
    const group = groups[row]!;
    const members = byGroup.get(group);
    if (members) members.push(row);
    else byGroup.set(group, [row]);
  }
  return [...byGroup.values()];
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
