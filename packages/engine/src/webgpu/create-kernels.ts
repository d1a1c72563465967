import { LaconicError } from "@laconic/core";
import type { CreateKernels, KernelSource } from "../kernels/index.ts";
import { hasWebGpu, openWebGpu, optionNames } from "#webgpu";
import { webGpuKernelSet } from "./webgpu-kernels.ts";

/**
 * Opens a GPU: through the browser's own WebGPU, in Node through Dawn, the `webgpu` package. Options are those of
 * {@link webGpuKernels}; a browser knows no `modules`.
 * @throws LaconicError `device_unavailable` with what is missing, `config_invalid` on an unknown option
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

/** Where Node finds the WebGPU package. */
export interface WebGpuOptions {
  /** A folder whose `node_modules` hold the `webgpu` package; Node alone. */
  readonly modules?: string;
}

/** Whether there is a WebGPU to try, without loading it: the browser's own, in Node the `webgpu` package. */
export function isInstalled({ modules }: WebGpuOptions = {}): boolean {
  return hasWebGpu(modules);
}

/** Any GPU that Vulkan, Metal or Direct3D 12 reaches; float32. */
export function webGpuKernels(options: WebGpuOptions = {}): KernelSource {
  return { device: "webgpu", module: import.meta.url, options: { ...options } };
}
