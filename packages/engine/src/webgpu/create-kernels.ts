import { LaconicError } from "@laconic/core";
import type { CreateKernels, KernelSource } from "../kernels/index.ts";
import { hasWebGpu, openWebGpu, optionNames } from "#webgpu";
import { webGpuKernelSet } from "./webgpu-kernels.ts";

/**
 * Opens a GPU through the browser's WebGPU or, in Node, the `webgpu` package (Dawn). Browsers have no `modules`.
 * @throws LaconicError `device_unavailable` with what is missing, `config_invalid` for an unknown option
 */
export const createKernels: CreateKernels = async (options = {}) => {
  const unknown = Object.keys(options).find((key) => !optionNames.includes(key));
  if (unknown !== undefined)
    throw new LaconicError("config_invalid", `the webgpu kernels have no option "${unknown}" here`, {
      key: unknown,
    });
  const { modules } = options;
  return webGpuKernelSet(await openWebGpu(typeof modules === "string" ? modules : undefined));
};

/** Options of the WebGPU kernels. */
export interface WebGpuOptions {
  /** Folder with the `webgpu` package; Node only. */
  readonly modules?: string;
}

/** Checks for the browser's WebGPU, or Node's `webgpu` package. */
export function isInstalled({ modules }: WebGpuOptions = {}): boolean {
  return hasWebGpu(modules);
}

/** Any GPU with Vulkan, Metal or Direct3D 12; float32. */
export function webGpuKernels(options: WebGpuOptions = {}): KernelSource {
  return { device: "webgpu", module: import.meta.url, options: { ...options } };
}
