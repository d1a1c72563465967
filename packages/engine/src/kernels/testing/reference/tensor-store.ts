import { LaconicError } from "@laconic/core";
import type { Tensor } from "../../contract.ts";
import { Matrix } from "./matrix.ts";

/** A handle over numbers in plain JavaScript; null once freed. */
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

/** Who owns which tensor: each is in the innermost scope it was made in, or in none. */
export class TensorStore {
  readonly #alive = new Set<Handle>();
  readonly #scopes: Set<Handle>[] = [];

  get count(): number {
    return this.#alive.size;
  }

  make(data: Float64Array | Int32Array, shape: readonly number[]): Tensor {
    if (data.length !== elements(shape))
      throw new LaconicError("input_invalid", `${data.length} values do not fill shape [${shape.join(", ")}]`);
    const handle = new Handle(data, shape);
    this.#alive.add(handle);
    this.#scopes.at(-1)?.add(handle);
    return handle;
  }

  data(tensor: Tensor): Float64Array | Int32Array {
    return this.#handle(tensor).data as Float64Array | Int32Array;
  }

  floats(tensor: Tensor, what: string): Float64Array {
    const data = this.data(tensor);
    if (data instanceof Int32Array)
      throw new LaconicError("input_invalid", `${what}: expected a float tensor, got int32`);
    return data;
  }

  ints(tensor: Tensor, what: string): Int32Array {
    const data = this.data(tensor);
    if (data instanceof Float64Array)
      throw new LaconicError("input_invalid", `${what}: expected an int32 tensor, got float`);
    return data;
  }

  matrix(tensor: Tensor, what: string): Matrix {
    const data = this.floats(tensor, what);
    const [rows, columns] = tensor.shape;
    if (tensor.shape.length !== 2)
      throw new LaconicError("input_invalid", `${what}: expected a matrix, got shape [${tensor.shape.join(", ")}]`);
    return new Matrix(rows as number, columns as number, data);
  }

  keep(tensor: Tensor): void {
    const handle = this.#handle(tensor);
    for (const scope of this.#scopes) scope.delete(handle);
  }

  free(tensor: Tensor): void {
    const handle = this.#handle(tensor);
    handle.data = null;
    this.#alive.delete(handle);
    for (const scope of this.#scopes) scope.delete(handle);
  }

  /** Frees what the body made and did not return, also when it throws. What it returns moves to the scope around. */
  scope<T>(body: () => T): T {
    const made = new Set<Handle>();
    this.#scopes.push(made);
    const returned = new Set<Handle>();
    try {
      const result = body();
      collect(result, returned);
      return result;
    } finally {
      this.#scopes.pop();
      for (const handle of made) {
        if (!returned.has(handle)) this.free(handle);
        else this.#scopes.at(-1)?.add(handle);
      }
    }
  }

  dispose(): void {
    for (const handle of this.#alive) this.free(handle);
  }

  #handle(tensor: Tensor): Handle {
    if (tensor instanceof Handle && this.#alive.has(tensor)) return tensor;
    const freed = tensor instanceof Handle && tensor.data === null;
    throw new LaconicError(
      "engine_failed",
      `tensor of shape [${tensor.shape.join(", ")}] ${freed ? "is used after it was freed" : "belongs to another kernel set"}`,
    );
  }
}

export function elements(shape: readonly number[]): number {
  return shape.reduce((product, length) => product * length, 1);
}

/** Finds the tensors in a tensor, an array or a plain object. */
function collect(value: unknown, found: Set<Handle>): void {
  if (value instanceof Handle) found.add(value);
  else if (Array.isArray(value)) for (const item of value) collect(item, found);
  else if (typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype)
    for (const item of Object.values(value)) collect(item, found);
}
