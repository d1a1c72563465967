import type { RunSummary } from "../../../src/protocol.ts";

/** A team: how often it is right, and what it says. */
export interface PlanePoint {
  readonly tokens: number;
  readonly accuracy: number;
}

/** Settings of a run's task as one text: accuracies are compared only where it is equal. */
export function taskKey(settings: RunSummary["settings"]): string {
  const entries = Object.entries(settings).filter(([key]) => key === "task" || key.startsWith("task."));
  return JSON.stringify(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** Points that no other beats in both: fewer tokens at no less accuracy, by tokens ascending. Equal points count once. */
export function frontierOf<T extends PlanePoint>(points: readonly T[]): readonly T[] {
  const finite = points.filter(({ tokens, accuracy }) => Number.isFinite(tokens) && Number.isFinite(accuracy));
  const sorted = finite.toSorted((a, b) => a.tokens - b.tokens || b.accuracy - a.accuracy);
  let best = -Infinity;
  return sorted.filter(({ accuracy }) => {
    if (accuracy <= best) return false;
    best = accuracy;
    return true;
  });
}
