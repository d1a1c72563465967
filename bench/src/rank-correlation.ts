/** Spearman's rank correlation, ties at their mean rank; NaN where one side never changes. */
export function rankCorrelation(a: readonly number[], b: readonly number[]): number {
  const [x, y] = [centred(ranks(a)), centred(ranks(b))];
  const dot = (p: readonly number[], q: readonly number[]): number =>
    p.reduce((sum, value, i) => sum + value * (q[i] ?? 0), 0);
  return dot(x, y) / Math.sqrt(dot(x, x) * dot(y, y));
}

function ranks(values: readonly number[]): number[] {
  return values.map(
    (value) =>
      values.filter((other) => other < value).length + (values.filter((other) => other === value).length - 1) / 2,
  );
}

function centred(values: readonly number[]): number[] {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return values.map((value) => value - mean);
}
