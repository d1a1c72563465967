import { inputError } from "@laconic/core";
import type { Tensor } from "./contract.ts";
import { TensorScopes } from "./tensor-scopes.ts";

/** Array in a device's memory. */
export interface DeviceArray {
  readonly shape: readonly number[];
  readonly dtype: string;
  dispose(): void;
}

/** Tensor over a replaceable device array. */
export class Handle<Data extends DeviceArray> implements Tensor {
  readonly shape: readonly number[];
  readonly dtype: "float" | "int32";
  data: Data;
  /** Bounds, known without a device read. */
  range: readonly [min: number, max: number];
  /** Freed when the tensor changes. */
  readonly derived: Map<string, Data> = new Map();

  constructor(data: Data, dtype: "float" | "int32", range: readonly [min: number, max: number]) {
    this.shape = data.shape;
    this.dtype = dtype;
    this.data = data;
    this.range = range;
  }

  forget(): void {
    for (const data of this.derived.values()) data.dispose();
    this.derived.clear();
  }
}

/** Owns the tensors of a kernel set. */
export class HandleStore<Data extends DeviceArray> extends TensorScopes<Handle<Data>> {
  constructor() {
    super(drop);
  }

  adoptFloats(data: Data): Handle<Data> {
    return this.adopt(new Handle(data, "float", [0, 0]));
  }

  adoptInts(data: Data, range: readonly [min: number, max: number]): Handle<Data> {
    return this.adopt(new Handle(data, "int32", range));
  }

  /** Adopts an array with the type and range of a tensor. */
  adoptLike(tensor: Tensor, data: Data): Handle<Data> {
    const { dtype, range } = this.get(tensor);
    return this.adopt(new Handle(data, dtype, range));
  }

  /** Caches an array until the tensor changes. */
  derive(tensor: Tensor, name: string, make: () => Data): Data {
    const { derived } = this.get(tensor);
    const data = derived.get(name) ?? make();
    derived.set(name, data);
    return data;
  }

  /** @throws LaconicError `input_invalid` for an integer outside [0, limit) */
  expectIndices(ids: Tensor, limit: number, location: string): void {
    const [min, max] = this.get(ids).range;
    if (ids.shape[0] === 0 || (min >= 0 && max < limit)) return;
    const index = min < 0 ? min : max;
    throw inputError(`${location}: index ${index} is outside [0, ${limit})`, { index });
  }

  replace(tensor: Tensor, data: Data): void {
    const handle = this.get(tensor);
    drop(handle);
    handle.data = data;
  }
}

function drop<Data extends DeviceArray>(handle: Handle<Data>): void {
  handle.data.dispose();
  handle.forget();
}
