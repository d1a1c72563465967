export type Numbers = Readonly<Record<string, number>>;

export function total(values: readonly number[]): number {
  let sum = 0;
  for (const value of values) sum += value;
  return sum;
}

export const meanOf = (values: readonly number[]): number => (values.length === 0 ? 0 : total(values) / values.length);

/** Drops NaN values, which do not apply. */
export const applicable = (values: readonly number[]): number[] => values.filter((value) => !Number.isNaN(value));
