import { LaconicError } from "@laconic/core";
import { sizeOf, type Tensor } from "@laconic/engine/kernels";
import type { Tensor as TfTensor } from "@tensorflow/tfjs-core";
import type { TfjsMemory } from "./tfjs-memory.ts";

/** A handle over one TensorFlow.js tensor. An in-place update may swap the tensor underneath; the handle stays. */
class Handle implements Tensor {
  readonly shape: readonly number[];
  readonly dtype: "float" | "int32";
  data: TfTensor;
  /** The explicit transpose of a weight, made at first use: the fast matrix product refuses transposed operands. */
  transposed: TfTensor | null = null;

  constructor(data: TfTensor, dtype: "float" | "int32") {
    this.shape = data.shape;
    this.dtype = dtype;
    this.data = data;
  }
}

/** Owns every handle: scopes free them in one place, and use after free is an error instead of a wrong number. */
export class TensorStore {
  readonly #memory: TfjsMemory;
  readonly #scopes: Set<Handle>[] = [];
  readonly #alive = new Set<Handle>();
  /** Data of which TensorFlow.js holds a packed copy for the matrix product; it must never change. */
  readonly #packed = new WeakSet<object>();

  constructor(memory: TfjsMemory) {
    this.#memory = memory;
  }

  get count(): number {
    return this.#alive.size;
  }

  /** Holds whatever was in memory before. */
  allocate(shape: readonly number[], dtype: "float" | "int32" = "float"): Tensor {
    return this.adopt(this.#memory.allocate(shape, dtype === "float" ? "float32" : "int32"), dtype);
  }
  zeros(shape: readonly number[]): Tensor {
    const tensor = this.allocate(shape);
    this.bytes(tensor).fill(0);
    return tensor;
  }
  upload(values: Float32Array | Float64Array | Int32Array, shape: readonly number[]): Tensor {
    if (values.length !== sizeOf(shape))
      throw new LaconicError(
        "input_invalid",
        `upload: ${values.length} values do not fill shape [${shape.join(", ")}]`,
      );
    const tensor = this.allocate(shape, values instanceof Int32Array ? "int32" : "float");
    const source = values instanceof Float64Array ? Float32Array.from(values) : values;
    this.bytes(tensor).set(new Uint8Array(source.buffer, source.byteOffset, source.byteLength));
    return tensor;
  }
  adopt(data: TfTensor, dtype: "float" | "int32" = "float"): Tensor {
    const handle = new Handle(data, dtype);
    this.#alive.add(handle);
    this.#scopes.at(-1)?.add(handle);
    return handle;
  }

  data(tensor: Tensor): TfTensor {
    return this.#handle(tensor).data;
  }
  /** Byte address of the first element; valid for the tensor's life. */
  address(tensor: Tensor): number {
    return this.#memory.address(this.data(tensor));
  }
  /** The tensor's bytes as a view, valid until the next allocation. */
  bytes(tensor: Tensor): Uint8Array {
    return this.#memory.bytes(this.data(tensor));
  }

  /** The tensor as right operand of a matrix product, which keeps a packed copy of it. */
  rightOperand(tensor: Tensor): TfTensor {
    const data = this.data(tensor);
    this.#packed.add(data.dataId);
    return data;
  }
  /** The tensor's transpose, kept until its values change. */
  transposed(tensor: Tensor, make: (data: TfTensor) => TfTensor): TfTensor {
    const handle = this.#handle(tensor);
    handle.transposed ??= make(handle.data);
    return handle.transposed;
  }

  /** Makes a tensor safe to change in place: gives it data that nothing else shares and no packed copy repeats. */
  makeWritable(tensor: Tensor): void {
    const { data, transposed } = this.#handle(tensor);
    if (!transposed && !this.#packed.has(data.dataId) && !this.#memory.isShared(data)) return;
    const own = this.#memory.allocate(tensor.shape, tensor.dtype === "float" ? "float32" : "int32");
    this.#memory.bytes(own).set(this.#memory.bytes(data));
    this.replace(tensor, own);
  }
  /** Puts new data under a handle. */
  replace(tensor: Tensor, data: TfTensor): void {
    const handle = this.#handle(tensor);
    disposeData(handle);
    handle.data = data;
  }

  free(tensor: Tensor): void {
    const handle = this.#handle(tensor);
    disposeData(handle);
    this.#alive.delete(handle);
    for (const scope of this.#scopes) scope.delete(handle);
  }
  keep(tensor: Tensor): void {
    const handle = this.#handle(tensor);
    for (const scope of this.#scopes) scope.delete(handle);
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

  #handle(tensor: Tensor): Handle {
    if (tensor instanceof Handle && this.#alive.has(tensor)) return tensor;
    throw new LaconicError(
      "engine_failed",
      `a tensor of shape [${tensor.shape.join(", ")}] is used after it was freed or belongs to another kernel set`,
    );
  }
  #close(own: Set<Handle>, kept: ReadonlySet<Handle>): void {
    this.#scopes.pop();
    for (const handle of [...own]) if (!kept.has(handle)) this.free(handle);
  }
}

function disposeData(handle: Handle): void {
  handle.data.dispose();
  handle.transposed?.dispose();
  handle.transposed = null;
}

/** Finds the tensors in a tensor, an array, a map or a plain object. */
function collect(value: unknown, into: Set<Handle>): void {
  if (value instanceof Handle) into.add(value);
  else if (Array.isArray(value)) for (const item of value) collect(item, into);
  else if (value instanceof Map) for (const item of value.values()) collect(item, into);
  else if (typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype)
    for (const item of Object.values(value)) collect(item, into);
}
