import type { ComputeDevice, GpuBuffer } from "./gpu.ts";

/** Buffers of one use; a freed one serves again for the same number of bytes. */
export class BufferPool {
  readonly #device: ComputeDevice;
  readonly #usage: number;
  /** Freed ones by bytes, which no recorded command names. */
  readonly #idle = new Map<number, GpuBuffer[]>();
  /** Freed while commands that name them wait to be sent: the commands after those may take them. */
  readonly #recorded = new Map<number, GpuBuffer[]>();

  constructor(device: ComputeDevice, usage: number) {
    this.#device = device;
    this.#usage = usage;
  }

  /** A buffer for commands to write, holding whatever it held. */
  take(bytes: number): GpuBuffer {
    return this.#recorded.get(bytes)?.pop() ?? this.takeIdle(bytes);
  }

  /** A buffer to write at once, before the commands that are recorded. */
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
