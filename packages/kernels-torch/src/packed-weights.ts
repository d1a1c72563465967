import { scalarType, type ScalarType } from "./native/scalar-type.ts";
import { aten, type Handle, type Torch } from "./native/torch.ts";
import type { TensorStore, TorchTensor } from "./tensors.ts";

/** Packing smaller ones saves less than the call costs. */
export const minPacked: number = 2 ** 16;

/** A second copy of larger ones takes too much memory. */
export const maxPacked: number = 2 ** 24;

/** Blocks are cut for {@link usualRows}. */
const [maxRows, usualRows] = [512, 64] as const;

const name = "packed";

/**
 * Second copies of CPU weights, reordered for products of few rows. Freed when the weight changes or with the last
 * key-value cache.
 */
export class PackedWeights {
  readonly #torch: Torch;
  readonly #store: TensorStore;
  readonly #working: ScalarType;
  readonly #packed = new Set<TorchTensor>();
  #caches = 0;

  constructor(torch: Torch, store: TensorStore, working: ScalarType) {
    this.#torch = torch;
    this.#store = store;
    this.#working = working;
  }

  /** [outer, inner]; null for unsuitable sizes. */
  of(weight: TorchTensor, rows: number, inner: number, outer: number): Handle | null {
    const torch = this.#torch;
    const size = inner * outer;
    if (
      !torch.library.shims.has(aten.oneDnnLinearOnto.name) ||
      this.#working !== scalarType.float32 ||
      size < minPacked ||
      size > maxPacked
    )
      return null;
    if (rows === 0 || rows > maxRows) return null;
    this.#packed.add(weight);
    return this.#store.derive(weight, name, () =>
      torch.call(aten.oneDnnReorder, weight.handle, { some: { int: usualRows } }),
    );
  }

  /** x weight^T + bias + onto, both optional. */
  product(x: Handle, packed: Handle, bias: Handle | null, onto: Handle | null = null): Handle {
    const torch = this.#torch;
    const row = bias === null ? null : { some: bias };
    return onto === null
      ? torch.call(aten.oneDnnLinear, x, packed, row, { text: "none" }, null, null)
      : torch.call(aten.oneDnnLinearOnto, x, onto, packed, row, { text: "add" });
  }

  cacheMade(): void {
    this.#caches += 1;
  }

  cacheFreed(): void {
    this.#caches -= 1;
    if (this.#caches > 0) return;
    for (const weight of this.#packed) this.#store.forget(weight, name);
    this.#packed.clear();
  }
}
