import { LaconicError } from "@laconic/core";
import { expectInts, sizeOf, type Precision, type Tensor } from "@laconic/kernels";
import type { Vector } from "./arena.ts";
import { operator, type Handle, type Torch } from "./native/torch.ts";
import { scalarType, type ScalarType } from "./native/scalar-type.ts";
import { TensorStore, type TorchTensor } from "./tensors.ts";

const contiguous = operator("aten::contiguous");

/** What all kernels work with: libtorch, the tensors, and the working precision. */
export class TorchDevice {
  readonly torch: Torch;
  readonly store: TensorStore;
  readonly working: ScalarType;
  readonly #numbers = new Map<string, Handle>();

  constructor(torch: Torch, dtype: "float32" | "bfloat16") {
    this.torch = torch;
    this.store = new TensorStore(torch);
    this.working = scalarType[dtype];
  }

  /** Deletes what belongs to no tensor. */
  dispose(): void {
    this.store.dispose();
    for (const handle of this.#numbers.values()) this.torch.delete(handle);
    this.#numbers.clear();
  }

  type(precision: Precision): ScalarType {
    return precision === "full" ? scalarType.float32 : this.working;
  }

  /** Of contiguous memory: a copy, made once, of columns that are not. */
  handle(tensor: Tensor): Handle {
    const own = this.store.get(tensor);
    if (own.rowStride === null) return own.handle;
    return this.store.derive(own, "contiguous", () => this.torch.call(contiguous, own.handle, { int: 0 }));
  }

  /** Of any memory: for kernels on elements, whose results are contiguous whatever their inputs are. */
  elements(tensor: Tensor): Handle {
    return this.store.get(tensor).handle;
  }

  /** A matrix by its rows, `stride` elements apart: for kernels that need no contiguous memory. */
  rows(tensor: Tensor): { readonly handle: Handle; readonly stride: number } {
    const own = this.store.get(tensor);
    return { handle: own.handle, stride: own.rowStride ?? (own.shape[1] as number) };
  }

  /** A tensor as a vector, in float32 where it is `wide`. */
  vector(tensor: Tensor, wide = false): Vector {
    const { precision, placement, shape } = this.store.get(tensor);
    const handle = this.handle(tensor);
    if (wide && precision === "working" && this.working !== scalarType.float32)
      return { handle: this.widened(handle), length: sizeOf(shape), placement: null };
    return { handle, length: sizeOf(shape), placement };
  }

  /** A number on the device, float32; made once. */
  number(value: number, shape: readonly number[] = [1, 1]): Handle {
    const key = `${value} ${shape.join()}`;
    let handle = this.#numbers.get(key);
    if (handle === undefined) {
      handle = this.torch.apart(() => this.torch.full(shape, scalarType.float32, value));
      this.#numbers.set(key, handle);
    }
    return handle;
  }

  /** A new tensor out of a kernel whose result is contiguous. */
  make(shape: readonly number[], body: () => Handle, precision: Precision = "working"): TorchTensor {
    return this.store.adoptFloats(this.torch.run(body), shape, precision);
  }

  /** The result of a kernel in the working precision: what was computed wider is rounded. */
  rounded(x: Handle): Handle {
    return this.working === scalarType.float32 ? x : this.torch.cast(x, this.working);
  }

  /** The same values in float32; the tensor itself where it is that already. */
  widened(x: Handle): Handle {
    return this.working === scalarType.float32 ? x : this.torch.cast(x, scalarType.float32);
  }

  /** Row numbers as torch wants them, kept with the tensor. */
  indices(tensor: Tensor): Handle {
    const ints = this.store.get(tensor);
    return this.store.derive(ints, "int64", () => this.torch.cast(ints.handle, scalarType.int64));
  }

  /** @throws LaconicError `input_invalid` when `ids` is not a list of `length` integers in [0, limit): the device would read elsewhere. */
  expectIndices(ids: Tensor, length: number, limit: number, place: string): void {
    expectInts(ids, length, place);
    const [least, most] = this.store.get(ids).range;
    if (sizeOf(ids.shape) === 0 || (least >= 0 && most < limit)) return;
    const index = least < 0 ? least : most;
    throw new LaconicError("input_invalid", `${place}: index ${index} is outside [0, ${limit})`, { index });
  }
}
