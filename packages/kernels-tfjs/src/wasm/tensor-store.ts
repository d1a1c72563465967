import { expectFilled, TensorScopes, type Kernels, type Tensor } from "@laconic/kernels";
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

/** Owns every handle and knows what may be changed in place. */
export class TensorStore {
  readonly #memory: TfjsMemory;
  readonly #handles = new TensorScopes<Handle>(disposeData);
  /** Data of which TensorFlow.js holds a packed copy for the matrix product; it must never change. */
  readonly #packed = new WeakSet<object>();

  constructor(memory: TfjsMemory) {
    this.#memory = memory;
  }

  get count(): number {
    return this.#handles.count;
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
    expectFilled(values, shape, "upload");
    const tensor = this.allocate(shape, values instanceof Int32Array ? "int32" : "float");
    const source = values instanceof Float64Array ? Float32Array.from(values) : values;
    this.bytes(tensor).set(new Uint8Array(source.buffer, source.byteOffset, source.byteLength));
    return tensor;
  }
  adopt(data: TfTensor, dtype: "float" | "int32" = "float"): Tensor {
    return this.#handles.adopt(new Handle(data, dtype));
  }

  data(tensor: Tensor): TfTensor {
    return this.#handles.get(tensor).data;
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
    const handle = this.#handles.get(tensor);
    handle.transposed ??= make(handle.data);
    return handle.transposed;
  }

  /** Makes a tensor safe to change in place: gives it data that nothing else shares and no packed copy repeats. */
  makeWritable(tensor: Tensor): void {
    const { data, transposed } = this.#handles.get(tensor);
    if (!transposed && !this.#packed.has(data.dataId) && !this.#memory.isShared(data)) return;
    const own = this.#memory.allocate(tensor.shape, tensor.dtype === "float" ? "float32" : "int32");
    this.#memory.bytes(own).set(this.#memory.bytes(data));
    this.replace(tensor, own);
  }
  /** Puts new data under a handle. */
  replace(tensor: Tensor, data: TfTensor): void {
    const handle = this.#handles.get(tensor);
    disposeData(handle);
    handle.data = data;
  }

  free(tensor: Tensor): void {
    this.#handles.free(tensor);
  }
  keep(tensor: Tensor): void {
    this.#handles.keep(tensor);
  }
  scope<T>(body: () => T): T {
    return this.#handles.scope(body);
  }
  /** `scope`, `keep` and `free` of the kernel set. */
  kernels(): Pick<Kernels, "scope" | "keep" | "free"> {
    return this.#handles.kernels();
  }
  dispose(): void {
    this.#handles.dispose();
  }
}

function disposeData(handle: Handle): void {
  handle.data.dispose();
  handle.transposed?.dispose();
  handle.transposed = null;
}
