import { LaconicError } from "@laconic/core";
import type { CreateKernels, KernelSource } from "../kernels/index.ts";
import { hasWebGpu, openWebGpu, optionNames } from "#webgpu";
import { deviceName, webGpuKernelSet, type WebGpuDtype } from "./webgpu-kernels.ts";

/**
 * Opens a GPU: through the browser's own WebGPU, in Node through Dawn, the `webgpu` package. Options are those of
 * {@link webGpuKernels}; a browser knows no `modules`.
 * @throws LaconicError `device_unavailable` with what is missing, `config_invalid` on an unknown option
 */
export const createKernels: CreateKernels = async (options = {}) => {
  const unknown = Object.keys(options).find((key) => !optionNames.includes(key));
  if (unknown !== undefined)
    throw new LaconicError("config_invalid", `the webgpu kernels take ${optionNames.join(", ")}, got "${unknown}"`, {
      key: unknown,
    });
  const { modules, dtype = "float32" } = options;
  if (dtype !== "float32" && dtype !== "float16")
    throw new LaconicError("config_invalid", `dtype of the webgpu kernels is float32 or float16, got ${dtype}`, {
      key: "dtype",
    });
  return webGpuKernelSet(await openWebGpu(typeof modules === "string" ? modules : undefined), dtype);
};

/** How the WebGPU kernels compute, and where Node finds their package. */
export interface WebGpuOptions {
  /** A folder whose `node_modules` hold the `webgpu` package; Node alone. */
  readonly modules?: string;
  /**
   * float16 holds weights and key-value caches in half precision, and computes in float32: half the memory of what lasts, on
   * every adapter. float32 by default.
   */
  readonly dtype?: WebGpuDtype;
}

/** Whether there is a WebGPU to try, without loading it: the browser's own, in Node the `webgpu` package. */
export function isInstalled({ modules }: Pick<WebGpuOptions, "modules"> = {}): boolean {
  return hasWebGpu(modules);
}

/** Any GPU that Vulkan, Metal or Direct3D 12 reaches, float32 by default. */
export function webGpuKernels(options: WebGpuOptions = {}): KernelSource {
  return { device: deviceName(options.dtype ?? "float32"), module: import.meta.url, options: { ...options } };
}
