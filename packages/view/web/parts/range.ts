export type Range = readonly [low: number, high: number];

/** Moves a range by `by` widths (right if positive) within `whole`. */
export function panned([low, high]: Range, by: number, whole: Range): Range | null {
  const width = high - low;
  const start = Math.min(Math.max(low + by * width, whole[0]), whole[1] - width);
  return within([start, start + width], whole);
}

/** Zooms around a point within `whole`, out for factors above 1; null if all is visible. */
export function zoomed([low, high]: Range, factor: number, around: number, whole: Range): Range | null {
  return within([around - (around - low) * factor, around + (high - around) * factor], whole);
}

/** Clips a range; null if it is all or nothing. Min width 0.001 steps. */
export function within([low, high]: Range, whole: Range): Range | null {
  const [start, end] = [Math.max(low, whole[0]), Math.min(high, whole[1])];
  if ((start <= whole[0] && end >= whole[1]) || end < start) return null;
  return end - start < 1e-3 ? [start, start + 1e-3] : [start, end];
}

/** Parses `12,340` from an address. */
export function parseRange(text: string): Range | null {
  const [low = NaN, high = NaN] = text.split(",").map(Number);
  return text !== "" && Number.isFinite(low) && Number.isFinite(high) && high > low ? [low, high] : null;
}

export function formatRange(range: Range | null): string {
  return range === null ? "" : range.map((end) => Number(end.toPrecision(8))).join(",");
}
