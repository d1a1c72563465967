/** Numbers by name. */
export type Numbers = Readonly<Record<string, number>>;

export function total(values: readonly number[]): number {
  let sum = 0;
  for (const value of values) sum += value;
  return sum;
}

/** 0 of none. */
export const meanOf = (values: readonly number[]): number => (values.length === 0 ? 0 : total(values) / values.length);

/** Over n - 1, of numbers that apply; 0 of fewer than two. */
export function deviationOf(values: readonly number[]): number {
  const applicable = known(values);
  if (applicable.length < 2) return 0;
  const mean = meanOf(applicable);
  return Math.sqrt(total(applicable.map((value) => (value - mean) ** 2)) / (applicable.length - 1));
}

/** Those that apply. */
export const known = (values: readonly number[]): number[] => values.filter((value) => !Number.isNaN(value));
