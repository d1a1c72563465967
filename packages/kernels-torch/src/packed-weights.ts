import { scalarType, type ScalarType } from "./native/scalar-type.ts";
import { aten, type Handle, type Torch } from "./native/torch.ts";
import type { TensorStore, TorchTensor } from "./tensors.ts";

/** Numbers of a matrix: with fewer the call around a product costs more than packing saves. */
export const minPacked: number = 2 ** 16;

/** With more, a second copy takes too much memory. */
export const maxPacked: number = 2 ** 24;

/** Rows up to which packing saves; the blocks are cut for {@link usualRows}. */
const [maxRows, usualRows] = [512, 64] as const;

const name = "packed";

/**
 * Second copies of weights on the CPU, in the order in which products of few rows read them: the library would bring them
 * into it again in every product. They are made at the first product and go when the weight changes, or with the last
 * key-value cache: nothing decodes any more.
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

  /** Of a matrix [outer, inner]; null where its products of so many rows take it as it is, by their sizes alone. */
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

  /** x weight^T + bias + onto, where the last two are given. */
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
