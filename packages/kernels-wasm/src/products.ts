import type { Tensor } from "@laconic/kernels";
import type { Fused } from "./fused.ts";
import type { TensorStore } from "./tensor-store.ts";

/** Columns of a panel, and the block of the left matrix with a tile behind it, as `assembly/product.ts` has them. */
const panelColumns = 8;
const blockFloats = 60 * 512 + 64;
/** Right operands that do not last are packed in parts of about this many floats (4 MiB), in whole blocks of rows. */
const partFloats = 1 << 20;
const blockRows = 256;

/** The three dense products of a layer with its weight [outer, inner], on addresses. */
export class Products {
  readonly #fused: Fused;
  readonly #store: TensorStore;

  constructor(fused: Fused, store: TensorStore) {
    this.#fused = fused;
    this.#store = store;
  }

  /** out [rows, outer] = x weight^T. The weight's panels are kept while it lives and does not change. */
  forward(x: number, rows: number, weight: Tensor, out: number): void {
    const [outer, inner] = weight.shape as readonly [number, number];
    if (rows === 0) return;
    const panels = this.#store.panels(weight, [padded(outer), inner], (from, to) =>
      this.#fused.packTransposed(from, to, outer, inner),
    );
    this.#withScratch([blockFloats], (scratch) =>
      this.#fused.product(x, 4 * inner, panels, out, rows, inner, outer, 1, scratch),
    );
  }

  /** dX [rows, inner] = dOut weight. */
  back(dOut: number, rows: number, weight: Tensor, dX: number): void {
    const [outer, inner] = weight.shape as readonly [number, number];
    if (rows === 0) return;
    const from = this.#store.address(weight);
    this.#inParts(from, outer, inner, (panels, start, count, scratch) =>
      this.#fused.product(dOut + 4 * start, 4 * outer, panels, dX, rows, count, inner, start === 0 ? 1 : 0, scratch),
    );
  }

  /** dWeight [outer, inner] = dOut^T x, or that much more unless `first`. */
  transposed(dOut: number, x: number, rows: number, dWeight: Tensor, first: boolean): void {
    const [outer, inner] = dWeight.shape as readonly [number, number];
    const out = this.#store.address(dWeight);
    if (rows === 0 && first) this.#store.bytes(dWeight).fill(0);
    this.#inParts(x, rows, inner, (panels, start, count, scratch) => {
      const fresh = first && start === 0 ? 1 : 0;
      this.#fused.transposedProduct(
        ...([dOut + 4 * start * outer, 4 * outer, panels, out, outer, count, inner, fresh, scratch] as const),
      );
    });
  }

  /** Packs rows of a matrix [depth, columns] into panels, part by part. */
  #inParts(
    from: number,
    depth: number,
    columns: number,
    body: (panels: number, start: number, count: number, scratch: number) => void,
  ): void {
    const most = blockRows * Math.max(1, Math.floor(partFloats / blockRows / padded(columns)));
    const part = Math.min(most, depth);
    this.#withScratch([part * padded(columns) + blockFloats], (panels) => {
      for (let start = 0; start < depth; start += part) {
        const count = Math.min(part, depth - start);
        this.#fused.packColumns(from + 4 * start * columns, panels, count, columns);
        body(panels, start, count, panels + 4 * part * padded(columns));
      }
    });
  }

  #withScratch(shape: readonly [number], body: (address: number) => void): void {
    const scratch = this.#store.allocate(shape);
    try {
      body(this.#store.address(scratch));
    } finally {
      this.#store.free(scratch);
    }
  }
}

function padded(columns: number): number {
  return Math.ceil(columns / panelColumns) * panelColumns;
}
