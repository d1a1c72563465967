import { TensorScopes, type Tensor } from "@laconic/kernels";
import type { Tensor as TfTensor } from "@tensorflow/tfjs-core";

/** A handle over one TensorFlow.js tensor. An update in place swaps the tensor underneath; the handle stays. */
export class Handle implements Tensor {
  readonly shape: readonly number[];
  readonly dtype: "float" | "int32";
  /** Of a float handle, float32 of its shape, or int32 with two numbers of half precision each. */
  data: TfTensor;
  /** Smallest and largest number of an int32 tensor, known without asking the device. */
  range: readonly [least: number, most: number];
  /** What is worked out from this tensor once and freed with it, by name. */
  readonly derived: Map<string, TfTensor> = new Map();

  constructor(
    data: TfTensor,
    dtype: "float" | "int32",
    range: readonly [number, number],
    shape: readonly number[] = data.shape,
  ) {
    this.shape = shape;
    this.dtype = dtype;
    this.data = data;
    this.range = range;
  }

  /** Its numbers are of half precision, two in each of `data`. */
  get halves(): boolean {
    return this.dtype === "float" && this.data.dtype === "int32";
  }
}

/** Owns every handle. */
export class HandleStore extends TensorScopes<Handle> {
  constructor() {
    super(drop);
  }

  adoptFloats(data: TfTensor): Handle {
    return this.adopt(new Handle(data, "float", [0, 0]));
  }
  adoptHalves(data: TfTensor, shape: readonly number[]): Handle {
    return this.adopt(new Handle(data, "float", [0, 0], shape));
  }
  adoptInts(data: TfTensor, range: readonly [number, number]): Handle {
    return this.adopt(new Handle(data, "int32", range));
  }

  /** Frees what was worked out from a tensor whose numbers change in place. */
  forget(tensor: Tensor): void {
    forgetDerived(this.get(tensor));
  }

  /** Puts new data under a handle. */
  replace(tensor: Tensor, data: TfTensor): void {
    const handle = this.get(tensor);
    drop(handle);
    handle.data = data;
  }
}

function drop(handle: Handle): void {
  handle.data.dispose();
  forgetDerived(handle);
}

function forgetDerived({ derived }: Handle): void {
  for (const data of derived.values()) data.dispose();
  derived.clear();
}
