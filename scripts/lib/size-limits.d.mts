import type { SizeTable } from "./size-counts.d.mts";

/** Limits of a package; bytes, megabytes and names. */
export interface SizeLimit {
  readonly bundle?: number;
  readonly installed: number;
  readonly unused: number;
  readonly exports?: number;
  readonly root?: number;
}

export const sizeLimits: Readonly<Record<string, SizeLimit>>;
export const sizeCaps: SizeTable;
