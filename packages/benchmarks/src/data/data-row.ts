/** A row of a data file, or why it cannot be read. Rows count from 1, as editors do. */
export type DataRow = { readonly file: string; readonly row: number; readonly value: unknown } | RowRefusal;

/** A row that was left out. */
export interface RowRefusal {
  readonly file: string;
  readonly row: number;
  readonly reason: string;
}

/** The first few refused rows in words, to tell a single row from the whole file. @param unit - behind the number of further rows */
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
