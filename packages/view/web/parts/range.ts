export type Range = readonly [low: number, high: number];

/** A part of a range, `by` of its width to the right (or left, below 0), kept within the whole. */
export function panned([low, high]: Range, by: number, whole: Range): Range | null {
  const width = high - low;
  const start = Math.min(Math.max(low + by * width, whole[0]), whole[1] - width);
  return within([start, start + width], whole);
}

/** Wider (factor above 1) or narrower around a point, kept within the whole; null where that is all of it. */
export function zoomed([low, high]: Range, factor: number, around: number, whole: Range): Range | null {
  return within([around - (around - low) * factor, around + (high - around) * factor], whole);
}

/** Null where all is to be seen, or nothing would be; never narrower than a thousandth of a step. */
export function within([low, high]: Range, whole: Range): Range | null {
  const [start, end] = [Math.max(low, whole[0]), Math.min(high, whole[1])];
  if ((start <= whole[0] && end >= whole[1]) || end < start) return null;
  return end - start < 1e-3 ? [start, start + 1e-3] : [start, end];
}

/** `12,340`, as addresses have it. */
export function parseRange(text: string): Range | null {
  const [low = NaN, high = NaN] = text.split(",").map(Number);
  return text !== "" && Number.isFinite(low) && Number.isFinite(high) && high > low ? [low, high] : null;
}

export function formatRange(range: Range | null): string {
  return range === null ? "" : range.map((end) => Number(end.toPrecision(8))).join(",");
}
