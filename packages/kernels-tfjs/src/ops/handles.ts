import { TensorScopes, type Tensor } from "@laconic/kernels";
import type { Tensor as TfTensor } from "@tensorflow/tfjs-core";

/** A handle over one TensorFlow.js tensor. An update in place swaps the tensor underneath; the handle stays. */
export class Handle implements Tensor {
  readonly shape: readonly number[];
  readonly dtype: "float" | "int32";
  data: TfTensor;
  /** Smallest and largest number of an int32 tensor, known without asking the device. */
  range: readonly [least: number, most: number];
  /** What is worked out from this tensor once and freed with it, by name. */
  readonly derived: Map<string, TfTensor> = new Map();

  constructor(data: TfTensor, dtype: "float" | "int32", range: readonly [number, number]) {
    this.shape = data.shape;
    this.dtype = dtype;
    this.data = data;
    this.range = range;
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
  adoptInts(data: TfTensor, range: readonly [number, number]): Handle {
    return this.adopt(new Handle(data, "int32", range));
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
  for (const data of handle.derived.values()) data.dispose();
  handle.derived.clear();
}
