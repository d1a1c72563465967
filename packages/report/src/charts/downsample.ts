import type { Point } from "./point.ts";

/**
 * At most `4 × buckets` points that draw like all of them: of each stretch the first, lowest, highest and last (M4, Jugel et al.
 * 2014). Points are in the order of x.
 */
export function downsample(points: readonly Point[], buckets = 150): readonly Point[] {
  if (points.length <= 4 * buckets) return points;
  return Array.from({ length: buckets }, (_, i) => {
    const from = Math.floor((i * points.length) / buckets);
    const to = Math.floor(((i + 1) * points.length) / buckets);
    const part = points.slice(from, to);
    const by = (better: (a: number, b: number) => boolean): Point =>
      part.reduce((best, point) => (better(point.y, best.y) ? point : best));
    const kept = new Set([part[0], by((a, b) => a < b), by((a, b) => a > b), part.at(-1)]);
    return part.filter((point) => kept.has(point));
  }).flat();
}
