import type { ComputeDevice, GpuBuffer } from "./gpu.ts";

export class BufferPool {
  readonly #device: ComputeDevice;
  readonly #usage: number;
  /** By bytes; not used by recorded commands. */
  readonly #idle = new Map<number, GpuBuffer[]>();
  /** Reusable by later commands only. */
  readonly #recorded = new Map<number, GpuBuffer[]>();

  constructor(device: ComputeDevice, usage: number) {
    this.#device = device;
    this.#usage = usage;
  }

  /** Uninitialized. */
  take(bytes: number): GpuBuffer {
    return this.#recorded.get(bytes)?.pop() ?? this.takeIdle(bytes);
  }

  /** Uninitialized, for writes before the recorded commands. */
  takeIdle(bytes: number): GpuBuffer {
    return this.#idle.get(bytes)?.pop() ?? this.#device.createBuffer({ size: bytes, usage: this.#usage });
  }

  give(buffer: GpuBuffer): void {
    add(this.#recorded, buffer);
  }

  sent(): void {
    for (const freed of this.#recorded.values()) for (const buffer of freed.splice(0)) add(this.#idle, buffer);
  }
}

function add(buffers: Map<number, GpuBuffer[]>, buffer: GpuBuffer): void {
  const same = buffers.get(buffer.size);
  if (same) same.push(buffer);
  else buffers.set(buffer.size, [buffer]);
}
