/** Used parts of WebGPU, named without the prefix GPU. */

export interface Gpu {
  requestAdapter(options: { readonly powerPreference: "high-performance" }): Promise<Adapter | null>;
}

export interface Adapter {
  readonly info: Readonly<Record<"vendor" | "architecture" | "description", string>> & {
    readonly isFallbackAdapter?: boolean;
  };
  readonly limits: Readonly<Record<(typeof requestedLimits)[number], number>>;
  requestDevice(descriptor: { readonly requiredLimits: Readonly<Record<string, number>> }): Promise<ComputeDevice>;
}

/** Limits requested in full. */
export const requestedLimits = [
  "maxComputeWorkgroupStorageSize",
  "maxComputeInvocationsPerWorkgroup",
  "maxComputeWorkgroupSizeX",
  "maxStorageBufferBindingSize",
  "maxBufferSize",
] as const;

export interface ComputeDevice extends WatchedDevice {
  readonly limits: Readonly<Record<"maxComputeInvocationsPerWorkgroup" | "maxComputeWorkgroupStorageSize", number>>;
  readonly queue: {
    writeBuffer(buffer: GpuBuffer, offset: number, data: ArrayBufferView): void;
    submit(commands: readonly object[]): void;
  };
  createBuffer(descriptor: { readonly size: number; readonly usage: number }): GpuBuffer;
  createShaderModule(descriptor: { readonly code: string; readonly label: string }): object;
  createComputePipeline(descriptor: object): ComputePipeline;
  createBindGroup(descriptor: { readonly layout: object; readonly entries: readonly object[] }): object;
  createCommandEncoder(): CommandEncoder;
  destroy(): void;
}

export interface WatchedDevice {
  onuncapturederror: ((event: { readonly error: { readonly message: string } }) => void) | null;
  readonly lost: Promise<{ readonly reason: string; readonly message: string }>;
}

export interface GpuBuffer {
  readonly size: number;
  mapAsync(mode: number): Promise<void>;
  getMappedRange(): ArrayBuffer;
  unmap(): void;
  destroy(): void;
}

export interface ComputePipeline {
  getBindGroupLayout(index: number): object;
}

export interface CommandEncoder {
  beginComputePass(): ComputePass;
  copyBufferToBuffer(from: GpuBuffer, fromOffset: number, to: GpuBuffer, toOffset: number, bytes: number): void;
  finish(): object;
}

export interface ComputePass {
  setPipeline(pipeline: ComputePipeline): void;
  setBindGroup(index: number, group: object): void;
  dispatchWorkgroups(x: number, y: number): void;
  end(): void;
}

/** Not global in Node. */
export const bufferUsage = { mapRead: 1, copySource: 4, copyTarget: 8, uniform: 64, storage: 128 } as const;
export const mapModeRead = 1;
