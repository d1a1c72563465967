import type { Tensor } from "../kernels/index.ts";
import type { TensorStore } from "./tensor-store.ts";
import type { Split, ThreadPool } from "./thread-pool.ts";

/** Columns of a panel, and the block of the left matrix with a tile behind it, as `assembly/product.ts` has them. */
const panelColumns = 8;
const blockFloats = 60 * 512 + 64;
/** Right operands that do not last are packed in parts of about this many floats (4 MiB), in whole blocks of rows. */
const partFloats = 1 << 20;
const blockRows = 256;

/** Rows of a part are whole strips in both forms, half a block; a product of fewer than four such parts is divided by columns. */
const partRows = 30;
/** Columns of such a part: packing its rows, as every part does, is a small share. */
const partColumns = 128;
/** Rows of a strip; of a weight's gradient four are worth going over the right matrix. */
const [stripRows, gradientRows] = [5, 20];
/** Columns that a thread packs at once: whole cache lines. */
const packedColumns = 64;
/** Multiplications and additions of a tile, and numbers that are packed, in a nanosecond. */
const [productSpeed, packingSpeed] = [40, 2];

/** The three dense products of a layer with its weight [outer, inner], on addresses. */
export class Products {
  readonly #pool: ThreadPool;
  readonly #store: TensorStore;

  constructor(pool: ThreadPool, store: TensorStore) {
    this.#pool = pool;
    this.#store = store;
  }

  /** out [rows, outer] = x weight^T. The weight's panels are kept while it lives and does not change. */
  forward(x: number, rows: number, weight: Tensor, out: number): void {
    const [outer, inner] = weight.shape as readonly [number, number];
    if (rows === 0) return;
    const panels = this.#store.panels(weight, [padded(outer), inner], (from, to) =>
      this.#pool.run("packTransposed", [from, to, outer, inner], {
        countAt: 2,
        steps: { 0: 4 * inner, 1: 4 * inner },
        cost: inner / packingSpeed,
        multiple: panelColumns,
      }),
    );
    this.#withScratch([blockFloats * this.#pool.threads], (scratch) =>
      this.#product(x, 4 * inner, panels, out, rows, inner, outer, true, scratch),
    );
  }

  /** dX [rows, inner] = dOut weight. */
  back(dOut: number, rows: number, weight: Tensor, dX: number): void {
    const [outer, inner] = weight.shape as readonly [number, number];
    if (rows === 0) return;
    const from = this.#store.address(weight);
    this.#inParts(from, outer, inner, (panels, start, count, scratch) =>
      this.#product(dOut + 4 * start, 4 * outer, panels, dX, rows, count, inner, start === 0, scratch),
    );
  }

  /** dWeight [outer, inner] = dOut^T x, or that much more unless `first`. */
  transposed(dOut: number, x: number, rows: number, dWeight: Tensor, first: boolean): void {
    const [outer, inner] = dWeight.shape as readonly [number, number];
    const out = this.#store.address(dWeight);
    if (rows === 0 && first) this.#store.bytes(dWeight).fill(0);
    this.#inParts(x, rows, inner, (panels, start, count, scratch) => {
      const fresh = first && start === 0 ? 1 : 0;
      const args = [dOut + 4 * start * outer, 4 * outer, panels, out, outer, count, inner, fresh, scratch];
      this.#pool.run("transposedProduct", args, {
        countAt: 4,
        steps: { 0: 4, 3: 4 * inner },
        cost: (2 * count * inner) / productSpeed,
        multiple: stripRows,
        fewest: gradientRows,
        scratch: { at: 8, bytes: 4 * blockFloats },
      });
    });
  }

  #product(
    left: number,
    leftRow: number,
    panels: number,
    out: number,
    rows: number,
    depth: number,
    columns: number,
    first: boolean,
    scratch: number,
  ): void {
    const args = [left, leftRow, panels, out, 4 * columns, rows, depth, columns, first ? 1 : 0, scratch];
    const whole = (2 * rows * depth * columns) / productSpeed;
    const byRows: Omit<Split, "scratch"> = {
      countAt: 5,
      steps: { 0: leftRow, 3: 4 * columns },
      cost: whole / rows,
      multiple: partRows,
    };
    const byColumns = { countAt: 7, steps: { 2: 4 * depth, 3: 4 }, cost: whole / columns, multiple: partColumns };
    const split = rows < 4 * partRows ? byColumns : byRows;
    this.#pool.run("product", args, { ...split, scratch: { at: 9, bytes: 4 * blockFloats } });
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
    this.#withScratch([part * padded(columns) + blockFloats * this.#pool.threads], (panels) => {
      for (let start = 0; start < depth; start += part) {
        const count = Math.min(part, depth - start);
        this.#pool.run("packColumns", [from + 4 * start * columns, 4 * columns, panels, count, columns], {
          countAt: 4,
          steps: { 0: 4, 2: 4 * count },
          cost: count / packingSpeed,
          multiple: packedColumns,
        });
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
