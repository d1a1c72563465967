import type { EpisodeQuery } from "../protocol.ts";
import type { IndexedLine } from "./episode-line.ts";
import type { EpisodeTable } from "./episode-table.ts";

/** More words than this are not looked for. */
const maxWords = 16;

/**
 * Rows of the table that a query asks for, in its order: newest (latest steps first), oldest, or most tokens or reward first, and
 * newest among equals. Offset and limit are not heeded.
 * @param lines - in the order of their steps
 */
export function selectRows(
  table: EpisodeTable,
  lines: readonly IndexedLine[],
  { text = "", kind, correct, agent, silent, fromStep, toStep, problem, sort = "newest" }: EpisodeQuery,
): Uint32Array {
  const words = text.split(/\s+/u).filter((word) => word !== "");
  const hasWords = table.having(words.slice(0, maxWords));
  const wanted = problem === undefined ? undefined : (table.problemNamed(problem) ?? -1);
  const isSilent = (row: number): boolean => {
    const speakers = table.speakersOf(row);
    return agent === undefined ? speakers.silent.length > 0 : speakers.silent.includes(agent);
  };
  const found = new Uint32Array(table.length);
  let count = 0;
  for (const line of sort === "oldest" ? lines : lines.toReversed()) {
    if (kind !== undefined && line.kind !== kind) continue;
    if (fromStep !== undefined && line.step < fromStep) continue;
    if (toStep !== undefined && line.step > toStep) continue;
    for (let row = line.first; row < line.first + line.rows; row++) {
      if (wanted !== undefined && table.problemOf(row) !== wanted) continue;
      if (correct !== undefined && (table.grade(row) === 1) !== correct) continue;
      if (agent !== undefined && !table.speakersOf(row).spoke.includes(agent)) continue;
      if (silent !== undefined && isSilent(row) !== silent) continue;
      if (hasWords && !hasWords(row)) continue;
      found[count++] = row;
    }
  }
  const rows = found.subarray(0, count);
  if (sort === "tokens") return mostFirst(rows, (row) => table.tokens(row));
  if (sort === "reward") return mostFirst(rows, (row) => table.reward(row));
  return rows;
}

/** Rows of equal values stay in their order; those of none are last. */
export function mostFirst(rows: Uint32Array, valueOf: (row: number) => number): Uint32Array {
  const values = Float64Array.from(rows, (row) => {
    const value = valueOf(row);
    return Number.isNaN(value) ? Infinity : -value;
  });
  // Numbers alone are sorted ten times as fast as numbers by comparison; each row then goes where its value begins.
  const sorted = values.toSorted();
  const next = new Map<number, number>();
  for (let i = sorted.length - 1; i >= 0; i--) next.set(sorted[i] as number, i);
  const ordered = new Uint32Array(rows.length);
  for (let i = 0; i < rows.length; i++) {
    const place = next.get(values[i] as number) as number;
    next.set(values[i] as number, place + 1);
    ordered[place] = rows[i] as number;
  }
  return ordered;
}

/** So many of them, evenly spaced, the first and the last included. @param max - 2 or more */
export function spaced<T>(all: readonly T[], max: number): readonly T[] {
  if (all.length <= max) return all;
  return Array.from({ length: max }, (_, i) => all[Math.round((i * (all.length - 1)) / (max - 1))] as T);
}
