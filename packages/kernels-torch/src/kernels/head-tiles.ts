import type { TorchDeviceName } from "../native/library.ts";
import type { Span } from "../torch-device.ts";

/** Tiling of logits [rows, vocabulary] by runs of rows and columns. */
export interface HeadTiles {
  readonly rows: readonly Span[];
  readonly columns: readonly Span[];
}

export interface TileBytes {
  /** Bytes per logit, all arrays together. */
  readonly element: number;
  /** Additional bytes per column. */
  readonly column: number;
}

/** Max bytes per tile, all arrays together. */
export const tileLimit: Readonly<Record<TorchDeviceName, number>> = {
  cpu: 2 ** 26,
  cuda: 2 ** 29,
  mps: 2 ** 28,
};

/** Below `thin` rows, reading weights dominates a product; above `many`, rows gain nothing. */
const [thin, many] = [1024, 2048] as const;

/** Tiles of whole rows if enough fit, else of columns, so that weights are read and written once. */
export function headTiles(rows: number, vocabulary: number, bytes: TileBytes, limit: number): HeadTiles {
  const fitting = Math.floor((limit - vocabulary * bytes.column) / (vocabulary * bytes.element));
  if (fitting >= Math.min(rows, thin)) return { rows: spans(rows, fitting), columns: spans(vocabulary, vocabulary) };
  const rowSpans = spans(rows, many);
  const columns = Math.floor(limit / ((rowSpans[0] as Span).count * bytes.element + bytes.column));
  return { rows: rowSpans, columns: spans(vocabulary, Math.max(1, columns)) };
}

/** Runs of similar length, at most `most`. */
function spans(total: number, most: number): Span[] {
  const runs = Math.ceil(total / Math.max(1, most));
  const length = Math.ceil(total / Math.max(1, runs));
  return Array.from({ length: runs }, (_, i) => ({ start: i * length, count: Math.min(length, total - i * length) }));
}
