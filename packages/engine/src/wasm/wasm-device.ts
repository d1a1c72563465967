import { LaconicError } from "@laconic/core";
import type { Tensor } from "../kernels/index.ts";
import type { FusedName } from "./fused.ts";
import { Products } from "./products.ts";
import { TensorStore } from "./tensor-store.ts";
import type { Split, ThreadPool } from "./thread-pool.ts";
import type { WasmMemory } from "./wasm-memory.ts";

/** Positions of arguments that move with the rows of a part. */
interface RowSplit {
  readonly countAt: number;
  /** Floats of a row; 1 by default. */
  readonly width?: number;
  readonly rows: readonly number[];
  /** Of arrays with one number for each row. */
  readonly numbers?: readonly number[];
}

/** What all operations work with: the tensors, and the fused functions over the memory they lie in. */
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

  /** Calls a fused function; a tensor stands for its address. */
  run(name: FusedName, ...args: readonly (Tensor | number)[]): number {
    return this.#memory.fused[name](...this.#addresses(args));
  }

  /** The same over all threads, for a function that returns nothing. */
  divide(split: Split, name: FusedName, ...args: readonly (Tensor | number)[]): void {
    this.#pool.run(name, this.#addresses(args), split);
  }

  /** The same for a function that treats every row, or every number, by itself. */
  divideRows(
    { countAt, width = 1, rows, numbers = [] }: RowSplit,
    name: FusedName,
    ...args: readonly (Tensor | number)[]
  ): void {
    const steps: Record<number, number> = {};
    for (const at of rows) steps[at] = 4 * width;
    for (const at of numbers) steps[at] = 4;
    // A few numbers are read and written in a nanosecond. Vectors of four stay whole, and so do cache lines.
    this.divide({ countAt, steps, cost: width / 2, multiple: width === 1 ? 16 : 1 }, name, ...args);
  }

  /** Calls `body` with uninitialised working space of so many floats for each thread, freed afterwards. */
  withThreadScratch(floats: number, body: (scratch: Tensor, bytes: number) => void): void {
    const each = (floats + 15) & ~15;
    this.withScratch(each * this.#pool.threads, (scratch) => body(scratch, 4 * each));
  }

  /** Calls `body` with uninitialised working space, freed afterwards. */
  withScratch<T>(floats: number, body: (scratch: Tensor) => T): T {
    const scratch = this.store.allocate([floats]);
    try {
      return body(scratch);
    } finally {
      this.store.free(scratch);
    }
  }

  /** @throws LaconicError `input_invalid` when `ids` holds an integer outside [0, limit): the device would write elsewhere. */
  expectIndices(ids: Tensor, limit: number, place: string): void {
    const at = this.run("firstOutside", ids, ids.shape[0] as number, limit);
    if (at < 0) return;
    const value = new DataView(this.store.bytes(ids).slice(4 * at, 4 * at + 4).buffer).getInt32(0, true);
    throw new LaconicError("input_invalid", `${place}: index ${value} at position ${at} is outside [0, ${limit})`, {
      position: at,
      index: value,
    });
  }

  #addresses(args: readonly (Tensor | number)[]): number[] {
    return args.map((arg) => (typeof arg === "number" ? arg : this.store.address(arg)));
  }
}
