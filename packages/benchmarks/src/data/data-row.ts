/** A row of a data file, or why it cannot be read. Rows count from 1, as editors do. */
export type DataRow =
  | { readonly file: string; readonly row: number; readonly value: unknown }
  | { readonly file: string; readonly row: number; readonly reason: string };

/** A row that was left out. */
export interface RowRefusal {
  readonly file: string;
  readonly row: number;
  readonly reason: string;
}
