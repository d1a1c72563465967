/** One way to work, in the accuracy-token plane. */
export interface TradeOff {
  readonly tokens: number;
  readonly accuracy: number;
}

/** The points that no other beats in both: fewest tokens first, each dearer and better than the one before. */
export function frontierOf<P extends TradeOff>(points: readonly P[]): P[] {
  const frontier: P[] = [];
  for (const point of points.toSorted((a, b) => a.tokens - b.tokens || b.accuracy - a.accuracy))
    if (point.accuracy > (frontier.at(-1)?.accuracy ?? -Infinity)) frontier.push(point);
  return frontier;
}

/**
 * Hypervolume: the area that the frontier dominates, from accuracy 0 and `mostTokens` on, as a share of the whole; 1 is
 * perfect at no cost (Zitzler & Thiele 1999). A point beyond `mostTokens` adds nothing.
 */
export function hypervolume(points: readonly TradeOff[], mostTokens: number): number {
  const frontier = frontierOf(points).filter(({ tokens }) => tokens < mostTokens);
  return frontier.reduce((area, { tokens, accuracy }, i) => {
    const end = frontier[i + 1]?.tokens ?? mostTokens;
    return area + (accuracy * (end - tokens)) / mostTokens;
  }, 0);
}

/**
 * Tokens that an accuracy costs on the frontier, between two of its points by linear interpolation: two ways mixed at random
 * reach it. Null where nothing is as good.
 */
export function tokensAtAccuracy(points: readonly TradeOff[], accuracy: number): number | null {
  const frontier = frontierOf(points);
  const after = frontier.findIndex((point) => point.accuracy >= accuracy);
  if (after < 0) return null;
  const [a, b] = [frontier[after - 1], frontier[after] as TradeOff];
  if (!a) return b.tokens;
  return a.tokens + ((accuracy - a.accuracy) / (b.accuracy - a.accuracy)) * (b.tokens - a.tokens);
}
