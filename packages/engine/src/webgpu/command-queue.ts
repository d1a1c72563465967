import { bufferUsage } from "./gpu.ts";
import type { CommandEncoder, ComputeDevice, ComputePass, ComputePipeline, GpuBuffer } from "./gpu.ts";

/** Few, so that the device starts early. */
const maxRecorded = 16;
/** Bytes per dispatch; adapters require multiples of 256. */
const slotBytes = 256;

export class CommandQueue {
  readonly #device: ComputeDevice;
  readonly #onSent: () => void;
  readonly #uniforms: GpuBuffer;
  readonly #slots = new Uint8Array(maxRecorded * slotBytes);
  #recorded = 0;
  #encoder: CommandEncoder | null = null;
  #pass: ComputePass | null = null;

  /** @param onSent - called after every submission */
  constructor(device: ComputeDevice, onSent: () => void) {
    this.#device = device;
    this.#onSent = onSent;
    const usage = bufferUsage.uniform + bufferUsage.copyTarget;
    this.#uniforms = device.createBuffer({ size: this.#slots.byteLength, usage });
  }

  /** @param uniforms - at most 256 bytes */
  dispatch(
    pipeline: ComputePipeline,
    layout: object,
    buffers: readonly GpuBuffer[],
    uniforms: Uint8Array,
    groups: readonly [x: number, y: number],
  ): void {
    const offset = this.#recorded * slotBytes;
    this.#slots.set(uniforms, offset);
    const resources = [...buffers.map((buffer) => ({ buffer })), { buffer: this.#uniforms, offset, size: slotBytes }];
    const entries = resources.map((resource, binding) => ({ binding, resource }));
    const pass = (this.#pass ??= this.#open().beginComputePass());
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, this.#device.createBindGroup({ layout, entries }));
    pass.dispatchWorkgroups(...groups);
    this.#recorded += 1;
    if (this.#recorded === maxRecorded) this.submit();
  }

  copy(from: GpuBuffer, to: GpuBuffer, bytes: number): void {
    this.#endPass();
    this.#open().copyBufferToBuffer(from, 0, to, 0, bytes);
  }

  submit(): void {
    this.#endPass();
    if (this.#recorded > 0) {
      const { queue } = this.#device;
      queue.writeBuffer(this.#uniforms, 0, this.#slots.subarray(0, this.#recorded * slotBytes));
    }
    if (this.#encoder) this.#device.queue.submit([this.#encoder.finish()]);
    this.#encoder = null;
    this.#recorded = 0;
    this.#onSent();
  }

  #open(): CommandEncoder {
    return (this.#encoder ??= this.#device.createCommandEncoder());
  }
  #endPass(): void {
    this.#pass?.end();
    this.#pass = null;
  }
}
