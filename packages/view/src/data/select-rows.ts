import type { EpisodeQuery } from "../protocol.ts";
import type { EpisodeLine } from "./episode-line.ts";
import type { EpisodeTable } from "./episode-table.ts";

/** More words than this are not looked for. */
const mostWords = 16;

/**
 * Rows of the table that a query asks for, in its order: newest (latest steps first), oldest, or most tokens or reward first, and
 * newest among equals. Offset and limit are not heeded.
 * @param lines - in the order of their steps
 */
export function selectRows(
  table: EpisodeTable,
  lines: readonly EpisodeLine[],
  { text = "", kind, correct, agent, silent, fromStep, toStep, problem, sort = "newest" }: EpisodeQuery,
): Uint32Array {
  const words = text.split(/\s+/u).filter((word) => word !== "");
  const hasWords = table.having(words.slice(0, mostWords));
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
function mostFirst(rows: Uint32Array, valueOf: (row: number) => number): Uint32Array {
  const values = Float64Array.from(rows, (row) => {
    const value = valueOf(row);
    return Number.isNaN(value) ? -Infinity : value;
  });
  const places = Uint32Array.from(rows, (_, i) => i);
  places.sort((a, b) => (values[b] as number) - (values[a] as number) || a - b);
  return places.map((place) => rows[place] as number);
}
