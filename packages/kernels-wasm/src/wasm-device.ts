import { LaconicError } from "@laconic/core";
import type { Tensor } from "@laconic/kernels";
import type { FusedName } from "./fused.ts";
import { Products } from "./products.ts";
import { TensorStore } from "./tensor-store.ts";
import type { WasmMemory } from "./wasm-memory.ts";

/** What all operations work with: the tensors, and the fused functions over the memory they lie in. */
export class WasmDevice {
  readonly store: TensorStore;
  readonly products: Products;
  readonly #memory: WasmMemory;

  constructor(memory: WasmMemory) {
    this.#memory = memory;
    this.store = new TensorStore(memory);
    this.products = new Products(memory.fused, this.store);
  }

  /** Calls a fused function; a tensor stands for its address. */
  run(name: FusedName, ...args: readonly (Tensor | number)[]): number {
    return this.#memory.fused[name](...args.map((arg) => (typeof arg === "number" ? arg : this.store.address(arg))));
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
}
