import { sizeOf, type Precision, type Tensor } from "@laconic/engine/kernels";
import type { Vector } from "./arena.ts";
import { PackedWeights } from "./packed-weights.ts";
import type { Handle, Torch } from "./native/torch.ts";
import { scalarType, type ScalarType } from "./native/scalar-type.ts";
import { TensorStore, type TorchTensor } from "./tensors.ts";

const fewElements = 2 ** 15;

/** 2 MiB in float32, for a CPU's last-level cache. */
export const tileElements: number = 2 ** 19;

export interface Span {
  readonly start: number;
  readonly count: number;
}

export class TorchDevice {
  readonly torch: Torch;
  readonly store: TensorStore;
  readonly working: ScalarType;
  /** Type for probability sums and integers up to 2^24; Metal has no float64. */
  readonly widest: ScalarType;
  readonly packed: PackedWeights;
  readonly #numbers = new Map<string, Handle>();
  #ones: { readonly handle: Handle; readonly length: number } | null = null;

  constructor(torch: Torch, dtype: "float32" | "bfloat16") {
    this.torch = torch;
    this.store = new TensorStore(torch);
    this.working = scalarType[dtype];
    this.widest = torch.device === "mps" ? scalarType.float32 : scalarType.float64;
    this.packed = new PackedWeights(torch, this.store, this.working);
  }

  dispose(): void {
    this.store.dispose();
    for (const handle of this.#numbers.values()) this.torch.delete(handle);
    this.#numbers.clear();
    if (this.#ones) this.torch.delete(this.#ones.handle);
    this.#ones = null;
  }

  type(precision: Precision): ScalarType {
    return precision === "full" ? scalarType.float32 : this.working;
  }

  /** Contiguous; strided columns are copied once. */
  handle(tensor: Tensor): Handle {
    const torchTensor = this.store.get(tensor);
    if (torchTensor.rowStride === null) return torchTensor.handle;
    return this.store.derive(torchTensor, "contiguous", () => this.torch.contiguous(torchTensor.handle));
  }

  rows(tensor: Tensor): { readonly handle: Handle; readonly stride: number } {
    const torchTensor = this.store.get(tensor);
    return { handle: torchTensor.handle, stride: torchTensor.rowStride ?? torchTensor.shape[1]! };
  }

  vector(tensor: Tensor, wide = false): Vector {
    const { precision, placement, shape } = this.store.get(tensor);
    const handle = this.handle(tensor);
    if (wide && precision === "working" && this.working !== scalarType.float32)
      return { handle: this.widened(handle), length: sizeOf(shape), placement: null };
    return { handle, length: sizeOf(shape), placement };
  }

  number(value: number, shape: readonly number[] = [1, 1], type: ScalarType = scalarType.float32): Handle {
    const key = `${value} ${type} ${shape.join()}`;
    let handle = this.#numbers.get(key);
    if (handle === undefined) {
      handle = this.torch.apart(() => this.torch.full(shape, type, value));
      this.#numbers.set(key, handle);
    }
    return handle;
  }

  /** [1, count]. */
  ones(count: number): Handle {
    if (!this.#ones || this.#ones.length < count) {
      if (this.#ones) this.torch.delete(this.#ones.handle);
      const length = 2 ** Math.ceil(Math.log2(Math.max(1, count)));
      this.#ones = { handle: this.torch.apart(() => this.torch.full([length], this.working, 1)), length };
    }
    return this.torch.view(this.#ones.handle, [1, count]);
  }

  /** The kernel's result must be contiguous. */
  make(shape: readonly number[], body: () => Handle, precision: Precision = "working"): TorchTensor {
    return this.store.adoptFloats(this.torch.run(body), shape, precision);
  }

  refill(shape: readonly number[], body: (out: Handle) => void, precision: Precision = "working"): TorchTensor {
    return this.store.refill(shape, this.type(precision), ({ handle }) => body(handle), precision);
  }

  withRoom<T>(elements: number, body: (room: Handle) => T): T {
    const room = this.store.refill([elements], scalarType.float32, () => undefined, "full");
    try {
      return body(room.handle);
    } finally {
      this.store.free(room);
    }
  }

  /** True on the CPU from 128 KiB in float32. Elsewhere fewer calls matter more. */
  writesInPlace(elements: number): boolean {
    return this.torch.device === "cpu" && elements >= fewElements;
  }

  /** The same for in-place sums, which need float32. */
  sumsInPlace(elements: number): boolean {
    return this.working === scalarType.float32 && this.writesInPlace(elements);
  }

  rowsOf(
    { handle, stride }: { readonly handle: Handle; readonly stride: number },
    { start, count }: Span,
    width: number,
    from = 0,
  ): Handle {
    return this.torch.view(handle, [count, width], [stride, 1], start * stride + from);
  }

  /** Rows that stay in a CPU's cache. */
  *tiles(rows: number, width: number): Generator<Span> {
    const most = Math.max(1, Math.floor(tileElements / Math.max(1, width)));
    for (let start = 0; start < rows; start += most) yield { start, count: Math.min(most, rows - start) };
  }

  rounded(x: Handle): Handle {
    return this.working === scalarType.float32 ? x : this.torch.cast(x, this.working);
  }

  widened(x: Handle): Handle {
    return this.working === scalarType.float32 ? x : this.torch.cast(x, scalarType.float32);
  }

  /** Int64, cached. */
  indices(tensor: Tensor): Handle {
    const ints = this.store.get(tensor);
    return this.store.derive(ints, "int64", () => this.torch.cast(ints.handle, scalarType.int64));
  }
}
