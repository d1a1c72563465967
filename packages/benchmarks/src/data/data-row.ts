/** A row of a data file, or why it is unreadable. Rows count from 1. */
export type DataRow = { readonly file: string; readonly row: number; readonly value: unknown } | RowRefusal;

/** A skipped row. */
export interface RowRefusal {
  readonly file: string;
  readonly row: number;
  readonly reason: string;
}

/** Lists the first refused rows. @param unit - of the number of further rows */
export function describeRefused(
  refused: readonly RowRefusal[],
  unit: string,
): {
  readonly text: string;
  readonly detail: { readonly file: string; readonly row: number; readonly refused: number };
} {
  const shown = refused.slice(0, 3).map(({ file, row, reason }) => `${file} row ${row}: ${reason}`);
  const more = refused.length > shown.length ? ` (and ${refused.length - shown.length} more${unit})` : "";
  const { file, row } = refused[0] as RowRefusal;
  return { text: `${shown.join(" | ")}${more}`, detail: { file, row, refused: refused.length } };
}
