/** Point in the accuracy-token plane. */
export interface TradeOff {
  readonly tokens: number;
  readonly accuracy: number;
}

/** Pareto frontier: undominated finite points by ascending tokens and accuracy. */
export function frontierOf<P extends TradeOff>(points: readonly P[]): P[] {
  const frontier: P[] = [];
  const finite = points.filter(({ tokens, accuracy }) => Number.isFinite(tokens) && Number.isFinite(accuracy));
  for (const point of finite.toSorted((a, b) => a.tokens - b.tokens || b.accuracy - a.accuracy))
    if (point.accuracy > (frontier.at(-1)?.accuracy ?? -Infinity)) frontier.push(point);
  return frontier;
}

/**
 * Hypervolume (Zitzler & Thiele 1999): share of the area up to `mostTokens` that the frontier dominates. 1 is perfect
 * at no cost.
 */
export function hypervolume(points: readonly TradeOff[], mostTokens: number): number {
  const frontier = frontierOf(points).filter(({ tokens }) => tokens < mostTokens);
  return frontier.reduce((area, { tokens, accuracy }, i) => {
    const end = frontier[i + 1]?.tokens ?? mostTokens;
    return area + (accuracy * (end - tokens)) / mostTokens;
  }, 0);
}

/**
 * Tokens for an accuracy on the frontier, interpolated linearly, since random mixing reaches it. Null above the
 * frontier.
 */
export function tokensAtAccuracy(points: readonly TradeOff[], accuracy: number): number | null {
  const frontier = frontierOf(points);
  const after = frontier.findIndex((point) => point.accuracy >= accuracy);
  if (after < 0) return null;
  const [a, b] = [frontier[after - 1], frontier[after]!];
  if (!a) return b.tokens;
  return a.tokens + ((accuracy - a.accuracy) / (b.accuracy - a.accuracy)) * (b.tokens - a.tokens);
}
