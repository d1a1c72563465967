import { sizeOf, TensorScopes, type Tensor } from "../kernels/index.ts";
import type { WasmMemory } from "./wasm-memory.ts";

/** Shared by tensors until one changes. */
interface Data {
  readonly address: number;
  readonly shape: readonly number[];
  readonly count: number;
  tensors: number;
  /** Cached until the values change. */
  panels: Data | null;
}

/** In-place updates may replace the data. */
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

export class TensorStore extends TensorScopes<Handle> {
  readonly #memory: WasmMemory;

  constructor(memory: WasmMemory) {
    super((handle) => this.#leave(handle.data));
    this.#memory = memory;
  }

  /** Uninitialized tensor. */
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
  /** Shares the data until either changes. */
  reshaped(tensor: Tensor, shape: readonly number[]): Tensor {
    const { data, dtype } = this.get(tensor);
    data.tensors += 1;
    return this.adopt(new Handle(data, [...shape], dtype));
  }

  /** Valid until the tensor is freed or made writable. */
  address(tensor: Tensor): number {
    return this.get(tensor).data.address;
  }
  /** Valid until the next allocation. */
  bytes(tensor: Tensor): Uint8Array {
    return this.#bytes(this.get(tensor).data);
  }

  /** Valid until the next allocation. */
  floats(tensor: Tensor): Float32Array {
    const { buffer, byteOffset, byteLength } = this.bytes(tensor);
    return new Float32Array(buffer, byteOffset, byteLength / 4);
  }
  /** Valid until the next allocation. */
  ints(tensor: Tensor): Int32Array {
    const { buffer, byteOffset, byteLength } = this.bytes(tensor);
    return new Int32Array(buffer, byteOffset, byteLength / 4);
  }

  /** Uninitialized floats; freed after `body`. */
  withScratch<T>(floats: number, body: (scratch: Tensor) => T): T {
    const scratch = this.allocate([floats]);
    try {
      return body(scratch);
    } finally {
      this.free(scratch);
    }
  }

  /** `pack` writes at first use. */
  panels(tensor: Tensor, shape: readonly number[], pack: (from: number, to: number) => void): number {
    const { data } = this.get(tensor);
    if (!data.panels) {
      data.panels = this.#allocate(shape);
      pack(data.address, data.panels.address);
    }
    return data.panels.address;
  }

  /** Copies shared data and drops panels. */
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
