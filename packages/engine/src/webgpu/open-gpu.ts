import { LaconicError } from "@laconic/core";
import { requestedLimits, type Adapter, type ComputeDevice, type Gpu } from "./gpu.ts";

export interface OpenGpu {
  /** Dawn frees the device with its parent. */
  readonly gpu: Gpu;
  readonly adapter: string;
  readonly device: ComputeDevice;
  /** True if it computes on the CPU. */
  readonly emulated: boolean;
}

/** Software adapters that do not report themselves. */
const programs = /swiftshader|llvmpipe|lavapipe|softpipe|basic render|\bwarp\b/iu;

/** The faster adapter; null if none. */
export function findAdapter(gpu: Gpu): Promise<Adapter | null> {
  return gpu.requestAdapter({ powerPreference: "high-performance" }).catch(() => null);
}

/** @throws LaconicError `device_unavailable` */
export async function openDevice(gpu: Gpu, adapter: Adapter): Promise<OpenGpu> {
  const { vendor, architecture, description } = adapter.info;
  const name = [vendor, architecture, description].filter((text) => text !== "").join(" ");
  const requiredLimits = Object.fromEntries(requestedLimits.map((limit) => [limit, adapter.limits[limit]]));
  const device = await adapter.requestDevice({ requiredLimits }).catch((error: unknown) => error as Error);
  if (device instanceof Error) throw missing(`WebGPU could not open a device on ${name}: ${device.message}`);
  return { gpu, adapter: name, device, emulated: isProgram(adapter.info) };
}

export function isProgram({ vendor, architecture, description, isFallbackAdapter }: Adapter["info"]): boolean {
  return isFallbackAdapter === true || programs.test([vendor, architecture, description].join(" "));
}

export function missing(reason: string): LaconicError {
  return new LaconicError("device_unavailable", reason, { device: "webgpu" });
}
