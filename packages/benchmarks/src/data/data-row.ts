import type { BenchmarkProblem, RowProblem } from "./benchmark.ts";

/** Row from 1, or why it is unreadable. */
export type DataRow = { readonly file: string; readonly row: number; readonly value: unknown } | RowRefusal;

/** A skipped row. */
export interface RowRefusal {
  readonly file: string;
  readonly row: number;
  readonly reason: string;
}

export interface PlacedProblem {
  readonly problem: BenchmarkProblem;
  readonly file: string;
  readonly row: number;
}

export type ReadRow = { readonly problem: RowProblem } | { readonly reason: string };

/** `data.csv row 7` */
export function placeOf({ file, row }: Pick<PlacedProblem, "file" | "row">): string {
  return `${file} row ${row}`;
}

/** Problems by id; refuses unreadable rows and repeated ids. */
export class RowProblems {
  readonly problems: Map<string, PlacedProblem> = new Map();
  readonly refused: RowRefusal[] = [];

  /** @param id - of a row without one @param read - null skips the row */
  add(row: DataRow, id: string, read: (value: unknown) => ReadRow | null): void {
    const location = { file: row.file, row: row.row };
    const parsed = "reason" in row ? row : read(row.value);
    if (!parsed) return;
    if ("reason" in parsed) return void this.refused.push({ ...location, reason: parsed.reason });
    const problem = { ...parsed.problem, id: parsed.problem.id ?? id };
    const before = this.problems.get(problem.id);
    if (before) this.refused.push({ ...location, reason: `the id ${problem.id} is that of ${placeOf(before)} too` });
    else this.problems.set(problem.id, { ...location, problem });
  }
}

/**
 * Lists the first refused rows.
 * @param unit - of further rows
 */
export function describeRefused(
  refused: readonly RowRefusal[],
  unit: string,
): {
  readonly text: string;
  readonly detail: { readonly file: string; readonly row: number; readonly refused: number };
} {
  const shown = refused.slice(0, 3).map(({ file, row, reason }) => `${file} row ${row}: ${reason}`);
  const more = refused.length > shown.length ? ` (and ${refused.length - shown.length} more${unit})` : "";
  const { file, row } = refused[0]!;
  return { text: `${shown.join(" | ")}${more}`, detail: { file, row, refused: refused.length } };
}
