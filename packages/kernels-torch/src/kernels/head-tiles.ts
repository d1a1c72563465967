import type { TorchDeviceName } from "../native/library.ts";
import type { Span } from "../torch-device.ts";

/** How logits [rows, vocabulary] are cut: every run of rows meets every run of columns. */
export interface HeadTiles {
  readonly rows: readonly Span[];
  readonly columns: readonly Span[];
}

/** Bytes that one tile holds. */
export interface TileBytes {
  /** Of each logit, all arrays together. */
  readonly element: number;
  /** Of each column beside its logits. */
  readonly column: number;
}

/** All arrays of a tile together hold at most this many bytes. */
export const tileLimit: Readonly<Record<TorchDeviceName, number>> = {
  cpu: 2 ** 26,
  cuda: 2 ** 29,
  mps: 2 ** 28,
};

/** With fewer rows than `thin` a product reads its weights more than it computes; `many` are as good as any number. */
const [thin, many] = [1024, 2048] as const;

/** Whole rows where enough of them fit, else runs of columns: each weight is then read and written once for all rows. */
export function headTiles(rows: number, vocabulary: number, bytes: TileBytes, limit: number): HeadTiles {
  const fitting = Math.floor((limit - vocabulary * bytes.column) / (vocabulary * bytes.element));
  if (fitting >= Math.min(rows, thin)) return { rows: spans(rows, fitting), columns: spans(vocabulary, vocabulary) };
  const rowSpans = spans(rows, many);
  const columns = Math.floor(limit / ((rowSpans[0] as Span).count * bytes.element + bytes.column));
  return { rows: rowSpans, columns: spans(vocabulary, Math.max(1, columns)) };
}

/** Runs of about equal length, none longer than `most`. */
function spans(total: number, most: number): Span[] {
  const runs = Math.ceil(total / Math.max(1, most));
  const length = Math.ceil(total / Math.max(1, runs));
  return Array.from({ length: runs }, (_, i) => ({ start: i * length, count: Math.min(length, total - i * length) }));
}
