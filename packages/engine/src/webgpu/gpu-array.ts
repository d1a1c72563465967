import { sizeOf } from "../kernels/index.ts";
import type { GpuBuffer } from "./gpu.ts";

interface Shared {
  /** What makes it, as long as nobody has asked for it. */
  buffer: GpuBuffer | (() => GpuBuffer);
  arrays: number;
  readonly release: (buffer: GpuBuffer) => void;
}

/** Numbers on the device. Arrays of several shapes may share a buffer, until one of them is changed in place. */
export class GpuArray {
  readonly shape: readonly number[];
  readonly dtype: "float32" | "int32";
  readonly size: number;
  readonly #shared: Shared;

  private constructor(shape: readonly number[], dtype: "float32" | "int32", shared: Shared) {
    this.shape = [...shape];
    this.dtype = dtype;
    this.size = sizeOf(shape);
    this.#shared = shared;
  }

  /**
   * The only array in a buffer.
   * @param buffer - or what makes it, when it is asked for first
   * @param release - gets it back when the array and its views are gone
   */
  static over(
    shape: readonly number[],
    dtype: "float32" | "int32",
    buffer: GpuBuffer | (() => GpuBuffer),
    release: (buffer: GpuBuffer) => void,
  ): GpuArray {
    return new GpuArray(shape, dtype, { buffer, arrays: 1, release });
  }

  get buffer(): GpuBuffer {
    const { buffer } = this.#shared;
    return typeof buffer === "function" ? (this.#shared.buffer = buffer()) : buffer;
  }
  get isShared(): boolean {
    return this.#shared.arrays > 1;
  }

  /** The same numbers once more: a copy, as long as neither is changed in place. */
  view(shape: readonly number[] = this.shape): GpuArray {
    this.#shared.arrays += 1;
    return new GpuArray(shape, this.dtype, this.#shared);
  }

  dispose(): void {
    this.#shared.arrays -= 1;
    const { arrays, buffer, release } = this.#shared;
    if (arrays === 0 && typeof buffer !== "function") release(buffer);
  }
}
