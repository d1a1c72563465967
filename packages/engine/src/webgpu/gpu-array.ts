import { sizeOf } from "../kernels/index.ts";
import type { GpuBuffer } from "./gpu.ts";

interface Shared {
  buffer: GpuBuffer | (() => GpuBuffer);
  arrays: number;
  readonly release: (buffer: GpuBuffer) => void;
}

/** Arrays may share a buffer until one changes in place. */
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
   * Takes ownership of a buffer.
   * @param buffer - or a function for first use
   * @param release - called without remaining views
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

  /** Shares the buffer until either changes in place. */
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
