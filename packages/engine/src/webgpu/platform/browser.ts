import type { Gpu } from "../gpu.ts";
import { findAdapter, missing, openDevice, type OpenGpu } from "../open-gpu.ts";

export const optionNames: readonly string[] = [];

function gpuOfPage(): Gpu | undefined {
  return (globalThis as unknown as { readonly navigator: { readonly gpu?: Gpu } }).navigator.gpu;
}

/** An adapter may still be missing. */
export function hasWebGpu(): boolean {
  return gpuOfPage() !== undefined;
}

/** @throws LaconicError `device_unavailable` */
export async function openWebGpu(): Promise<OpenGpu> {
  const gpu = gpuOfPage();
  if (!gpu)
    throw missing("WebGPU is not available: the browser lacks it, it is disabled, or the page has no secure context");
  const adapter = await findAdapter(gpu);
  if (!adapter) throw missing("WebGPU found no adapter: the browser uses no GPU on this machine");
  return openDevice(gpu, adapter);
}
