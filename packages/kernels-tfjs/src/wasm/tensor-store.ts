import { LaconicError } from "@laconic/core";
import type { Tensor } from "@laconic/engine/kernels";
import type { Tensor as TfTensor } from "@tensorflow/tfjs-core";
import type { TfjsMemory } from "./tfjs-memory.ts";

/** A handle over one TensorFlow.js tensor. An in-place update swaps the tensor underneath and keeps the handle. */
export class Handle implements Tensor {
  readonly shape: readonly number[];
  readonly dtype: "float" | "int32";
  readonly size: number;
  data: TfTensor | null;
  /** The explicit transpose of a weight, made at first use: the fast matrix product refuses transposed operands. */
  transposed: TfTensor | null = null;

  constructor(data: TfTensor, dtype: "float" | "int32") {
    this.shape = data.shape;
    this.dtype = dtype;
    this.size = data.size;
    this.data = data;
  }
}

/** Owns every handle: scopes free them in one place, and use after free is an error instead of a wrong number. */
export class TensorStore {
  readonly #memory: TfjsMemory;
  readonly #scopes: Set<Handle>[] = [];
  readonly #alive = new Set<Handle>();

  constructor(memory: TfjsMemory) {
    this.#memory = memory;
  }

  get count(): number {
    return this.#alive.size;
  }

  adopt(data: TfTensor, dtype: "float" | "int32" = "float"): Handle {
    const handle = new Handle(data, dtype);
    this.#alive.add(handle);
    this.#scopes.at(-1)?.add(handle);
    return handle;
  }

  /** Holds whatever was in memory before, unless `zero`. */
  allocate(shape: readonly number[], dtype: "float" | "int32" = "float", zero = false): Handle {
    const data = this.#memory.allocate(shape, dtype === "float" ? "float32" : "int32");
    if (zero) this.#memory.bytes(data).fill(0);
    return this.adopt(data, dtype);
  }

  data(tensor: Tensor): TfTensor {
    if (!(tensor instanceof Handle) || tensor.data === null)
      throw new LaconicError("engine_failed", `tensor of shape [${tensor.shape.join(", ")}] is used after it was freed`);
    return tensor.data;
  }

  /** Byte address of the first element; valid for the tensor's life. */
  address(tensor: Tensor): number {
    return this.#memory.address(this.data(tensor));
  }

  transposed(tensor: Tensor, make: (data: TfTensor) => TfTensor): TfTensor {
    const data = this.data(tensor);
    const handle = tensor as Handle;
    handle.transposed ??= make(data);
    return handle.transposed;
  }

  /** Puts a new tensor under a handle. A fresh identity, so that no packed copy of the old values survives. */
  replace(tensor: Tensor, data: TfTensor): void {
    const handle = tensor as Handle;
    this.data(handle).dispose();
    handle.transposed?.dispose();
    handle.transposed = null;
    handle.data = data;
  }

  free(tensor: Tensor): void {
    this.data(tensor).dispose();
    const handle = tensor as Handle;
    handle.transposed?.dispose();
    handle.transposed = null;
    handle.data = null;
    this.#alive.delete(handle);
    for (const scope of this.#scopes) scope.delete(handle);
  }

  keep(tensor: Tensor): void {
    this.data(tensor);
    for (const scope of this.#scopes) scope.delete(tensor as Handle);
  }

  scope<T>(body: () => T): T {
    const own = new Set<Handle>();
    this.#scopes.push(own);
    let result: T;
    try {
      result = body();
    } catch (error) {
      this.#close(own, new Set());
      throw error;
    }
    const kept = new Set<Handle>();
    collect(result, kept);
    this.#close(own, kept);
    const outer = this.#scopes.at(-1);
    if (outer) for (const handle of kept) if (own.has(handle)) outer.add(handle);
    return result;
  }

  dispose(): void {
    for (const handle of [...this.#alive]) this.free(handle);
  }

  #close(own: Set<Handle>, kept: ReadonlySet<Handle>): void {
    this.#scopes.pop();
    for (const handle of own) if (!kept.has(handle)) this.free(handle);
  }
}

/** Finds the tensors in a tensor, an array or a plain object. */
function collect(value: unknown, into: Set<Handle>): void {
  if (value instanceof Handle) into.add(value);
  else if (Array.isArray(value)) for (const item of value) collect(item, into);
  else if (value instanceof Map) for (const item of value.values()) collect(item, into);
  else if (typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype)
    for (const item of Object.values(value)) collect(item, into);
}

