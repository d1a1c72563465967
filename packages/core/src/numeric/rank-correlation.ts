/** Spearman's rank correlation; NaN for fewer than two pairs or a constant side. */
export function rankCorrelation(a: readonly number[], b: readonly number[]): number {
  const [x, y] = [centredRanks(a), centredRanks(b)];
  const dot = (p: readonly number[], q: readonly number[]): number =>
    p.reduce((sum, value, i) => sum + value * (q[i] ?? 0), 0);
  return dot(x, y) / Math.sqrt(dot(x, x) * dot(y, y));
}

/** Ranks minus their mean, which ties do not change. */
function centredRanks(values: readonly number[]): number[] {
  const order = values.map((_, i) => i).toSorted((i, j) => (values[i] ?? 0) - (values[j] ?? 0));
  const ranks = values.map(() => 0);
  for (let first = 0; first < order.length;) {
    let next = first + 1;
    while (next < order.length && values[order[next] as number] === values[order[first] as number]) next += 1;
    for (const i of order.slice(first, next)) ranks[i] = (first + next - 1) / 2;
    first = next;
  }
  const mean = (values.length - 1) / 2;
  return ranks.map((rank) => rank - mean);
}
