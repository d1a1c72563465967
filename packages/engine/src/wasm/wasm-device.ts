import { inputError } from "@laconic/core";
import type { Tensor } from "../kernels/index.ts";
import type { FusedName } from "./fused.ts";
import { TensorStore } from "./tensor-store.ts";
import type { Split, ThreadPool } from "./thread-pool.ts";
import type { WasmMemory } from "./wasm-memory.ts";

interface RowSplit {
  readonly countAt: number;
  /** Floats per row. Default 1. */
  readonly width?: number;
  readonly rows: readonly number[];
  /** Arrays with one element per row. */
  readonly numbers?: readonly number[];
}

export class WasmDevice {
  readonly store: TensorStore;
  readonly products: Products;
  readonly #memory: WasmMemory;
  readonly #pool: ThreadPool;

  constructor(memory: WasmMemory, pool: ThreadPool) {
    this.#memory = memory;
    this.#pool = pool;
    this.store = new TensorStore(memory);
    this.products = new Products(pool, this.store);
  }

  run(name: FusedName, ...args: readonly (Tensor | number)[]): number {
    return this.#memory.fused[name](...this.#addresses(args));
  }

  divide(split: Split, name: FusedName, ...args: readonly (Tensor | number)[]): void {
    this.#pool.run(name, this.#addresses(args), split);
  }

  divideRows(
    { countAt, width = 1, rows, numbers = [] }: RowSplit,
    name: FusedName,
    ...args: readonly (Tensor | number)[]
  ): void {
    const steps: Record<number, number> = {};
    for (const index of rows) steps[index] = 4 * width;
    for (const index of numbers) steps[index] = 4;
    // Two elements per ns; parts keep vectors of four and cache lines.
    this.divide({ countAt, steps, cost: width / 2, multiple: width === 1 ? 16 : 1 }, name, ...args);
  }

  /** Uninitialized; freed after `body`. */
  withThreadScratch(floats: number, body: (scratch: Tensor, bytes: number) => void): void {
    const value = (floats + 15) & ~15;
    this.store.withScratch(value * this.#pool.threads, (scratch) => body(scratch, 4 * value));
  }

  /** @throws LaconicError `input_invalid` for an integer outside [0, limit). */
  expectIndices(ids: Tensor, limit: number, location: string): void {
    const index = this.run("firstOutside", ids, ids.shape[0]!, limit);
    if (index < 0) return;
    const value = this.store.ints(ids)[index]!;
    throw inputError(`${location}: index ${value} at position ${index} is outside [0, ${limit})`, {
      position: index,
      index: value,
    });
  }

  #addresses(args: readonly (Tensor | number)[]): number[] {
    return args.map((arg) => (typeof arg === "number" ? arg : this.store.address(arg)));
  }
}

/** As in `assembly/product.ts`: panel columns, left block plus one tile. */
const panelColumns = 8;
const blockFloats = 60 * 512 + 64;
/** Sizes of packed temporary right operands (4 MiB). */
const partFloats = 1 << 20;
const blockRows = 256;

/** Half a block. Smaller products are divided by columns. */
const partRows = 30;
/** Columns per part, wide enough to repack the rows. */
const partColumns = 128;
/** Per strip, and min per part of a weight gradient. */
const [stripRows, gradientRows] = [5, 20];
/** Whole cache lines. */
const packedColumns = 64;
/** Multiply-adds and packed elements per nanosecond. */
const [productSpeed, packingSpeed] = [40, 2];

/** Products with weight [outer, inner], on addresses. */
class Products {
  readonly #pool: ThreadPool;
  readonly #store: TensorStore;

  constructor(pool: ThreadPool, store: TensorStore) {
    this.#pool = pool;
    this.#store = store;
  }

  /** out [rows, outer] = x weight^T; caches panels. */
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
    this.#store.withScratch(blockFloats * this.#pool.threads, (scratch) =>
      this.#product(x, 4 * inner, panels, out, rows, inner, outer, true, this.#store.address(scratch)),
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

  /** dWeight [outer, inner] = dOut^T x; added unless `first`. */
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
        scratch: { argument: 8, bytes: 4 * blockFloats },
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
    this.#pool.run("product", args, { ...split, scratch: { argument: 9, bytes: 4 * blockFloats } });
  }

  /** Packs [depth, columns] into panels, part by part. */
  #inParts(
    from: number,
    depth: number,
    columns: number,
    body: (panels: number, start: number, count: number, scratch: number) => void,
  ): void {
    const most = blockRows * Math.max(1, Math.floor(partFloats / blockRows / padded(columns)));
    const part = Math.min(most, depth);
    this.#store.withScratch(part * padded(columns) + blockFloats * this.#pool.threads, (scratch) => {
      const panels = this.#store.address(scratch);
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
}

function padded(columns: number): number {
  return Math.ceil(columns / panelColumns) * panelColumns;
}
