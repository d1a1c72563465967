import { LaconicError } from "@laconic/core";
import type { CreateKernels, Kernels, KernelSource } from "@laconic/kernels";
import { backend, ready, setBackend, version_core } from "@tensorflow/tfjs-core";
import { openWebGpu, optionNames } from "#webgpu";
import { claiming } from "../claim-backend.ts";
import { opsKernelSet } from "../ops/ops-kernels.ts";
import { scatterRows } from "../ops/scatter-rows.ts";
import { GpuDevice } from "./gpu-device.ts";
import { shaderKernels } from "./shader-kernels.ts";
import { watchDevice } from "./watch-device.ts";
import { putRowsInPlace, wgslOperations } from "./wgsl-operations.ts";
import { programRunner } from "./wgsl/run-program.ts";

/**
 * Starts TensorFlow.js's WebGPU backend: on the browser's own WebGPU, in Node on Dawn, the `webgpu` package. Options:
 * `shaders`, false for TensorFlow.js's operations alone; in Node `modules`, a folder whose `node_modules` hold the optional
 * packages.
 * @throws LaconicError `device_unavailable` with what is missing, `config_invalid` on an unknown option
 */
export const createKernels: CreateKernels = async (options = {}) => {
  const unknown = Object.keys(options).find((key) => !optionNames.includes(key));
  if (unknown !== undefined)
    throw new LaconicError("config_invalid", `the webgpu kernels take ${optionNames.join(" and ")}, got "${unknown}"`, {
      key: unknown,
    });
  const { modules, shaders } = options;
  return claiming("webgpu", (release) =>
    open(typeof modules === "string" ? modules : undefined, shaders !== false, release),
  );
};

async function open(modules: string | undefined, shaders: boolean, release: () => void): Promise<Kernels> {
  const gpu = await openWebGpu(modules);
  const started = await setBackend("webgpu").catch(() => false);
  await ready();
  if (!started) {
    gpu.close();
    throw new LaconicError("device_unavailable", "TensorFlow.js could not start its webgpu backend on this adapter");
  }
  const runner = shaders ? programRunner(backend()) : null;
  const set = {
    device: "webgpu",
    library: `tfjs-webgpu ${version_core}, ${gpu.adapter}`,
    // Storage bindings of 128 MiB are what every adapter allows.
    mostElements: 1 << 24,
    ...(runner ? { putRows: putRowsInPlace(runner), fused: wgslOperations(runner) } : { putRows: scatterRows }),
    failure: watchDevice(backend()),
    dispose: () => {
      gpu.close();
      release();
    },
  };
  return opsKernelSet(set, runner ? (device) => shaderKernels(new GpuDevice(device, runner)) : undefined);
}

/** Any GPU that Vulkan, Metal or Direct3D 12 reaches, float32. */
export function webGpuKernels(options: { readonly modules?: string; readonly shaders?: boolean } = {}): KernelSource {
  return { device: "webgpu", module: import.meta.url, options: { ...options } };
}
