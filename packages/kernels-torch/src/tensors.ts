import { LaconicError } from "@laconic/core";
import { TensorScopes, type Precision, type Tensor } from "@laconic/kernels";
import type { Placement } from "./arena.ts";
import type { Handle, Torch } from "./native/torch.ts";

/** A torch tensor behind an opaque handle: contiguous, or columns of a matrix. */
export class TorchTensor implements Tensor {
  readonly shape: readonly number[];
  readonly dtype: "float" | "int32";
  readonly precision: Precision;
  handle: Handle;
  /** Smallest and largest number of an int32 tensor. */
  range: readonly [least: number, most: number];
  /** What is worked out from this tensor once and freed with it, by name. */
  derived: Map<string, Handle> | null = null;
  /** Elements from one row of a matrix to the next where they are more than its width: it is columns of another one. */
  rowStride: number | null = null;
  /** The matrix of which it is columns from `start` on; the same object for all columns of one. */
  columnsOf: { readonly matrix: object; readonly start: number } | null = null;
  /** Where it lies, if it shares an allocation with others. */
  placement: Placement | null = null;

  constructor(
    handle: Handle,
    shape: readonly number[],
    dtype: "float" | "int32",
    precision: Precision,
    range: readonly [number, number],
  ) {
    this.handle = handle;
    this.precision = precision;
    this.shape = shape;
    this.dtype = dtype;
    this.range = range;
  }
}

/** Owns every tensor, and what is worked out from it. */
export class TensorStore extends TensorScopes<TorchTensor> {
  readonly #torch: Torch;

  constructor(torch: Torch) {
    super((tensor) => drop(torch, tensor));
    this.#torch = torch;
  }

  /** Takes over the result of a kernel. */
  adoptFloats(handle: Handle, shape: readonly number[], precision: Precision = "working"): TorchTensor {
    return this.adopt(new TorchTensor(handle, shape, "float", precision, [0, 0]));
  }
  adoptInts(handle: Handle, shape: readonly number[], range: readonly [number, number]): TorchTensor {
    return this.adopt(new TorchTensor(handle, shape, "int32", "full", range));
  }

  /** Something that follows from a tensor's values, made at first use and freed with the tensor. */
  derive(tensor: TorchTensor, name: string, make: () => Handle): Handle {
    tensor.derived ??= new Map();
    let handle = tensor.derived.get(name);
    if (handle === undefined) {
      handle = this.#torch.apart(make);
      tensor.derived.set(name, handle);
    }
    return handle;
  }

  /** Keeps something with a tensor that is freed with it. */
  attach(tensor: TorchTensor, name: string, handle: Handle): void {
    tensor.derived ??= new Map();
    tensor.derived.set(name, handle);
  }

  /** @throws LaconicError `engine_failed` when nothing of that name was attached. */
  attached(tensor: TorchTensor, name: string): Handle {
    const handle = tensor.derived?.get(name);
    if (handle !== undefined) return handle;
    throw new LaconicError("engine_failed", `${name} is missing: the tensor does not come from the forward pass`);
  }

  /** Some columns of a matrix, by a handle of strided memory. */
  adoptColumns(
    handle: Handle,
    shape: readonly [number, number],
    place: { readonly matrix: object; readonly start: number; readonly stride: number },
    precision: Precision = "working",
  ): TorchTensor {
    const tensor = this.adoptFloats(handle, shape, precision);
    if (place.stride !== shape[1]) tensor.rowStride = place.stride;
    tensor.columnsOf = place;
    return tensor;
  }

  /** Puts new data under a handle that shares its memory with nothing. */
  replace(tensor: TorchTensor, handle: Handle): void {
    this.changed(tensor);
    this.#torch.delete(tensor.handle);
    tensor.handle = handle;
  }

  /** Forgets what was worked out from a tensor whose values have changed. */
  changed(tensor: TorchTensor, range: readonly [number, number] = tensor.range): void {
    if (tensor.derived) for (const handle of tensor.derived.values()) this.#torch.delete(handle);
    tensor.derived = null;
    tensor.range = range;
  }
}

function drop(torch: Torch, tensor: TorchTensor): void {
  torch.delete(tensor.handle);
  tensor.placement?.arena.leave();
  if (tensor.derived) for (const handle of tensor.derived.values()) torch.delete(handle);
  tensor.derived = null;
}
