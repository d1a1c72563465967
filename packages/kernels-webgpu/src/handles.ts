import { TensorScopes, type Tensor } from "@laconic/kernels";
import type { GpuArray } from "./gpu-array.ts";

/** A handle over one array. An update may swap the array underneath; the handle stays. */
export class Handle implements Tensor {
  readonly shape: readonly number[];
  readonly dtype: "float" | "int32";
  /** Of a float handle, float32 of its shape, or int32 with two numbers of half precision each. */
  data: GpuArray;
  /** Smallest and largest number of an int32 tensor, known without asking the device. */
  range: readonly [least: number, most: number];
  /** What is worked out from this tensor once and freed when it changes, by name. */
  readonly derived: Map<string, GpuArray> = new Map();

  constructor(
    data: GpuArray,
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

  /** Frees what was worked out from its numbers. */
  forget(): void {
    for (const data of this.derived.values()) data.dispose();
    this.derived.clear();
  }
}

/** Owns every handle. */
export class HandleStore extends TensorScopes<Handle> {
  constructor() {
    super(drop);
  }

  adoptFloats(data: GpuArray): Handle {
    return this.adopt(new Handle(data, "float", [0, 0]));
  }
  adoptHalves(data: GpuArray, shape: readonly number[]): Handle {
    return this.adopt(new Handle(data, "float", [0, 0], shape));
  }
  adoptInts(data: GpuArray, range: readonly [number, number]): Handle {
    return this.adopt(new Handle(data, "int32", range));
  }

  /** Puts new data under a handle. */
  replace(tensor: Tensor, data: GpuArray): void {
    const handle = this.get(tensor);
    drop(handle);
    handle.data = data;
  }
}

function drop(handle: Handle): void {
  handle.data.dispose();
  handle.forget();
}
