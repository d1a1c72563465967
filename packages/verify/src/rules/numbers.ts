/** Numbers by name. */
export type Numbers = Readonly<Record<string, number>>;

export function total(values: readonly number[]): number {
  let sum = 0;
  for (const value of values) sum += value;
  return sum;
}

/** 0 of no values. */
export const meanOf = (values: readonly number[]): number => (values.length === 0 ? 0 : total(values) / values.length);

/** Without those that do not apply. */
export const applicable = (values: readonly number[]): number[] => values.filter((value) => !Number.isNaN(value));

/** Over n - 1, of numbers that apply; 0 of fewer than two. */
export function deviationOf(all: readonly number[]): number {
  const values = applicable(all);
  if (values.length < 2) return 0;
  const mean = meanOf(values);
  return Math.sqrt(total(values.map((value) => (value - mean) ** 2)) / (values.length - 1));
}
