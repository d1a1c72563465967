import { LaconicError } from "@laconic/core";
import type { Adapter, AdapterLimit, ComputeDevice, Gpu } from "./gpu.ts";

/** A GPU that this process holds. */
export interface OpenGpu {
  /** To be held as long as the device: Dawn frees all that came from it when it is collected. */
  readonly gpu: Gpu;
  readonly adapter: string;
  readonly device: ComputeDevice;
  /** Whether the adapter is a program on the processor. */
  readonly emulated: boolean;
}

/** Adapters that compute on the processor and do not say so. */
const programs = /swiftshader|llvmpipe|lavapipe|softpipe|basic render|\bwarp\b/iu;

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
  return { gpu, adapter: name, device, emulated: isProgram(adapter.info) };
}

/** Whether an adapter is no GPU: by its own word, or by its name. */
export function isProgram({ vendor, architecture, description, isFallbackAdapter }: Adapter["info"]): boolean {
  return isFallbackAdapter === true || programs.test([vendor, architecture, description].join(" "));
}

export function missing(reason: string): LaconicError {
  return new LaconicError("device_unavailable", reason, { device: "webgpu" });
}
