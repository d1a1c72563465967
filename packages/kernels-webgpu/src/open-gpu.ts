import { LaconicError } from "@laconic/core";
import type { Adapter, AdapterLimit, ComputeDevice, Gpu } from "./gpu.ts";

/** A GPU that this process holds. */
export interface OpenGpu {
  /** To be held as long as the device: Dawn frees all that came from it when it is collected. */
  readonly gpu: Gpu;
  /** Its name. */
  readonly adapter: string;
  readonly device: ComputeDevice;
}

/** What a device gets in full: without asking it has what every adapter allows. */
const wanted: readonly AdapterLimit[] = [
  "maxComputeWorkgroupStorageSize",
  "maxComputeInvocationsPerWorkgroup",
  "maxComputeWorkgroupSizeX",
  "maxStorageBufferBindingSize",
  "maxBufferSize",
];

/** The faster adapter of a machine that has two; null for none. */
export function findAdapter(gpu: Gpu): Promise<Adapter | null> {
  return gpu.requestAdapter({ powerPreference: "high-performance" }).catch(() => null);
}

/** @throws LaconicError `device_unavailable` where the adapter opens no device */
export async function openDevice(gpu: Gpu, adapter: Adapter): Promise<OpenGpu> {
  const { vendor, architecture, description } = adapter.info;
  const name = [vendor, architecture, description].filter((text) => text !== "").join(" ");
  const requiredLimits = Object.fromEntries(wanted.map((limit) => [limit, adapter.limits[limit]]));
  const device = await adapter.requestDevice({ requiredLimits }).catch((error: unknown) => error as Error);
  if (device instanceof Error) throw missing(`WebGPU could not open a device on ${name}: ${device.message}`);
  return { gpu, adapter: name, device };
}

export function missing(reason: string): LaconicError {
  return new LaconicError("device_unavailable", reason, { device: "webgpu" });
}
