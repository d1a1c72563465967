import { sizeOf, TensorScopes, type Tensor } from "../kernels/index.ts";
import type { WasmMemory } from "./wasm-memory.ts";

/** An array in memory. Tensors of several shapes may share one until one of them is changed. */
interface Data {
  readonly address: number;
  readonly shape: readonly number[];
  readonly count: number;
  tensors: number;
  /** The same matrix as panels for the matrix product, made at first use and kept until the values change. */
  panels: Data | null;
}

/** A handle over data. An in-place update may swap the data underneath; the handle stays. */
class Handle implements Tensor {
  readonly shape: readonly number[];
  readonly dtype: "float" | "int32";
  data: Data;

  constructor(data: Data, shape: readonly number[], dtype: "float" | "int32") {
    this.shape = shape;
    this.dtype = dtype;
    this.data = data;
  }
}

/** Owns every handle and knows what may be changed in place. */
export class TensorStore extends TensorScopes<Handle> {
  readonly #memory: WasmMemory;

  constructor(memory: WasmMemory) {
    super((handle) => this.#leave(handle.data));
    this.#memory = memory;
  }

  /** Holds whatever was in memory before. */
  allocate(shape: readonly number[], dtype: "float" | "int32" = "float"): Tensor {
    return this.adopt(new Handle(this.#allocate(shape), [...shape], dtype));
  }
  zeros(shape: readonly number[]): Tensor {
    const tensor = this.allocate(shape);
    this.bytes(tensor).fill(0);
    return tensor;
  }
  upload(values: Float32Array | Float64Array | Int32Array, shape: readonly number[]): Tensor {
    const tensor = this.allocate(shape, values instanceof Int32Array ? "int32" : "float");
    const source = values instanceof Float64Array ? Float32Array.from(values) : values;
    this.bytes(tensor).set(new Uint8Array(source.buffer, source.byteOffset, source.byteLength));
    return tensor;
  }
  /** Another handle over the same data, until either is changed. */
  reshaped(tensor: Tensor, shape: readonly number[]): Tensor {
    const { data, dtype } = this.get(tensor);
    data.tensors += 1;
    return this.adopt(new Handle(data, [...shape], dtype));
  }

  /** Byte address of the first element; valid until the tensor is freed or made writable. */
  address(tensor: Tensor): number {
    return this.get(tensor).data.address;
  }
  /** The tensor's bytes as a view, valid until the next allocation. */
  bytes(tensor: Tensor): Uint8Array {
    return this.#bytes(this.get(tensor).data);
  }

  /** Address of the tensor's panels: what `pack` writes at the address that it gets, `shape` large, kept until the values change. */
  panels(tensor: Tensor, shape: readonly number[], pack: (from: number, to: number) => void): number {
    const { data } = this.get(tensor);
    if (!data.panels) {
      data.panels = this.#allocate(shape);
      pack(data.address, data.panels.address);
    }
    return data.panels.address;
  }

  /** Makes a tensor safe to change in place: gives it data that nothing else shares and no panels repeat. */
  makeWritable(tensor: Tensor): void {
    const handle = this.get(tensor);
    const { data } = handle;
    if (data.tensors > 1) {
      handle.data = this.#allocate(data.shape);
      this.#bytes(handle.data).set(this.#bytes(data));
      data.tensors -= 1;
    } else if (data.panels) {
      this.#leave(data.panels);
      data.panels = null;
    }
  }

  #allocate(shape: readonly number[]): Data {
    return { address: this.#memory.allocate(shape), shape, count: sizeOf(shape), tensors: 1, panels: null };
  }
  #bytes({ address, count }: Data): Uint8Array {
    return this.#memory.bytes(address, 4 * count);
  }
  #leave(data: Data): void {
    data.tensors -= 1;
    if (data.tensors > 0) return;
    if (data.panels) this.#leave(data.panels);
    this.#memory.release(data.address, data.shape);
  }
}
