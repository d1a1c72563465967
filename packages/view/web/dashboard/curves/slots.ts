/** One column of one run: its steps ascend. */
export interface Column {
  readonly steps: Float64Array;
  readonly values: Float32Array;
}

/** Where on x a chart has points, the same for all its series. */
export type Slots =
  /** Few enough steps: each has its own. */
  | { readonly kind: "steps"; readonly steps: Float64Array }
  /** `count` parts of equal width; each gives two points, at a quarter and at three quarters of it. */
  | { readonly kind: "parts"; readonly low: number; readonly width: number; readonly count: number };

/** First index whose step is not below the given one. */
export function indexAt(steps: Float64Array, step: number): number {
  let low = 0;
  let high = steps.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((steps[middle] as number) < step) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Rows of a column within a range, and one more at either side, so that lines run on to the border. */
export function rowsWithin({ steps }: Column, low: number, high: number): readonly [from: number, to: number] {
  return [Math.max(0, indexAt(steps, low) - 1), Math.min(steps.length, indexAt(steps, high) + 2)];
}

/** Every step of the columns while there are at most `most`, equal parts of the range otherwise. */
export function slotsOf(columns: readonly Column[], low: number, high: number, max: number): Slots {
  const parts: Slots = {
    kind: "parts",
    low,
    width: (high - low) / Math.max(1, Math.floor(max / 2)),
    count: Math.max(1, Math.floor(max / 2)),
  };
  const distinct = new Set<number>();
  for (const column of columns) {
    const [from, to] = rowsWithin(column, low, high);
    if (to - from > max + 2) return parts;
    for (let row = from; row < to; row++) distinct.add(column.steps[row] as number);
    if (distinct.size > max + 2 * columns.length + 2) return parts;
  }
  return { kind: "steps", steps: Float64Array.from(distinct).toSorted() };
}

/** The x of every point. */
export function stepsOfSlots(slots: Slots): Float64Array {
  if (slots.kind === "steps") return slots.steps;
  return Float64Array.from(
    { length: slots.count * 2 },
    (_, i) => slots.low + ((i >> 1) + (i % 2 === 0 ? 0.25 : 0.75)) * slots.width,
  );
}

/** Part that a step falls into; those beyond the border go to the outer ones. */
export function partOf(slots: Slots & { kind: "parts" }, step: number): number {
  return Math.min(slots.count - 1, Math.max(0, Math.floor((step - slots.low) / slots.width)));
}
