/** Lines and characters of source, and lines of tests. */
export interface SizeRow {
  readonly source: number;
  readonly bytes: number;
  readonly tests: number;
}

/** Sizes by package; `total` is the whole tree. */
export type SizeTable = Readonly<Record<string, SizeRow>>;

export function countSizes(): SizeTable;
/** One sentence per exceeded cap. */
export function sizeFaults(counts: SizeTable, caps: SizeTable): string[];
