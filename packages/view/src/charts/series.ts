/** A value at a step. */
export interface Point {
  readonly x: number;
  /** NaN for a step without a value: the line has a gap there. */
  readonly y: number;
}

/** What one line of a chart shows. */
export interface Series {
  readonly name: string;
  readonly points: readonly Point[];
  /** Which of the theme's categorical colours, from 1. */
  readonly color: number;
  /** Single values beside a smoothed line: drawn faintly, and not named. */
  readonly faint?: boolean;
}

/** Whether a point has a value. */
export function hasValue({ y }: Point): boolean {
  return Number.isFinite(y);
}

/** Trailing mean of the values among at most `window` points; a point without a value stays one. */
export function smooth(points: readonly Point[], window: number): Point[] {
  return points.map((point, i) => {
    if (!hasValue(point)) return point;
    const slice = points.slice(Math.max(0, i - window + 1), i + 1).filter(hasValue);
    return { x: point.x, y: slice.reduce((sum, each) => sum + each.y, 0) / slice.length };
  });
}

/**
 * At most `5 × buckets` points that draw like all of them: of each stretch the first, lowest, highest and last (M4, Jugel et al.
 * 2014), and a point without a value. Points are in the order of x.
 */
export function downsample(points: readonly Point[], buckets = 150): readonly Point[] {
  if (points.length <= 4 * buckets) return points;
  return Array.from({ length: buckets }, (_, i) => {
    const from = Math.floor((i * points.length) / buckets);
    const to = Math.floor(((i + 1) * points.length) / buckets);
    const part = points.slice(from, to);
    const by = (better: (a: number, b: number) => boolean): Point =>
      part.reduce((best, point) => (better(point.y, best.y) || !hasValue(best) ? point : best));
    const gap = part.find((point) => !hasValue(point));
    const kept = new Set([part[0], by((a, b) => a < b), by((a, b) => a > b), gap, part.at(-1)]);
    return part.filter((point) => kept.has(point));
  }).flat();
}
