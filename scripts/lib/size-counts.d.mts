/** Lines and characters of source, and lines of tests. */
export interface SizeRow {
  readonly source: number;
  readonly bytes: number;
  readonly tests: number;
}

/** By package; `total` is the whole tree. */
export type SizeTable = Readonly<Record<string, SizeRow>>;

export function countSizes(): SizeTable;
/** What exceeds its cap, a sentence each. */
export function sizeFaults(counts: SizeTable, caps: SizeTable): string[];
