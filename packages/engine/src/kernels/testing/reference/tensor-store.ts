import { inputError } from "@laconic/core";
import type { Tensor } from "../../contract.ts";
import { matrixSize } from "../../shape-checks.ts";
import { TensorScopes } from "../../handles.ts";
import { Matrix } from "./matrix.ts";

/** Handle over a JavaScript array; null once freed. */
class Handle implements Tensor {
  readonly shape: readonly number[];
  readonly dtype: "float" | "int32";
  data: Float64Array | Int32Array | null;

  constructor(data: Float64Array | Int32Array, shape: readonly number[]) {
    this.shape = [...shape];
    this.dtype = data instanceof Int32Array ? "int32" : "float";
    this.data = data;
  }
}

export class TensorStore extends TensorScopes<Handle> {
  constructor() {
    super((handle) => (handle.data = null));
  }

  make(data: Float64Array | Int32Array, shape: readonly number[]): Tensor {
    return this.adopt(new Handle(data, shape));
  }

  data(tensor: Tensor): Float64Array | Int32Array {
    return this.get(tensor).data as Float64Array | Int32Array;
  }

  floats(tensor: Tensor): Float64Array {
    return this.data(tensor) as Float64Array;
  }

  ints(tensor: Tensor, what: string): Int32Array {
    const data = this.data(tensor);
    if (data instanceof Float64Array) throw inputError(`${what}: expected an int32 tensor, got float`);
    return data;
  }

  matrix(tensor: Tensor): Matrix {
    return new Matrix(...matrixSize(tensor), this.floats(tensor));
  }
}
