import { LaconicError } from "@laconic/core";
import type { CreateKernels, Kernels, KernelSource } from "@laconic/kernels";
import { backend, ready, setBackend, version_core } from "@tensorflow/tfjs-core";
import { openWebGpu, optionNames } from "#webgpu";
import { claiming } from "../claim-backend.ts";
import { opsKernelSet } from "../ops/ops-kernels.ts";
import { scatterRows } from "../ops/scatter-rows.ts";
import { countCommands } from "./counters.ts";
import { blankCache, blankTensor, GpuDevice } from "./gpu-device.ts";
import { halfKernels, widenOn } from "./halves.ts";
import { shaderKernels } from "./shader-kernels.ts";
import { watchDevice } from "./watch-device.ts";
import { putRowsInPlace, takeRowsOn, wgslOperations } from "./wgsl-operations.ts";
import { programRunner } from "./wgsl/run-program.ts";

/**
 * Starts TensorFlow.js's WebGPU backend: on the browser's own WebGPU, in Node on Dawn, the `webgpu` package. Options are those
 * of {@link webGpuKernels}; a browser knows no `modules`.
 * @throws LaconicError `device_unavailable` with what is missing, `config_invalid` on an unknown option
 */
export const createKernels: CreateKernels = async (options = {}) => {
  const unknown = Object.keys(options).find((key) => !optionNames.includes(key));
  if (unknown !== undefined)
    throw new LaconicError("config_invalid", `the webgpu kernels take ${optionNames.join(", ")}, got "${unknown}"`, {
      key: unknown,
    });
  const { modules, shaders, dtype = "float32" } = options;
  if (dtype !== "float32" && dtype !== "float16")
    throw new LaconicError("config_invalid", `dtype of the webgpu kernels is float32 or float16, got ${dtype}`, {
      key: "dtype",
    });
  if (dtype === "float16" && shaders === false)
    throw new LaconicError("config_invalid", "TensorFlow.js's operations know no float16; leave shaders on", {
      key: "dtype",
    });
  return claiming("webgpu", (release) =>
    open({ modules: typeof modules === "string" ? modules : undefined, shaders: shaders !== false, dtype }, release),
  );
};

interface Chosen {
  readonly modules: string | undefined;
  readonly shaders: boolean;
  readonly dtype: "float32" | "float16";
}

async function open({ modules, shaders, dtype }: Chosen, release: () => void): Promise<Kernels> {
  const gpu = await openWebGpu(modules);
  const started = await setBackend("webgpu").catch(() => false);
  await ready();
  if (!started) {
    gpu.close();
    throw new LaconicError("device_unavailable", "TensorFlow.js could not start its webgpu backend on this adapter");
  }
  const runner = shaders ? programRunner(backend()) : null;
  const set = {
    device: nameOf(dtype),
    dtype,
    library: `tfjs-webgpu ${version_core}, ${gpu.adapter}`,
    // Storage bindings of 128 MiB are what every adapter allows.
    maxElements: 1 << 24,
    ...(runner
      ? {
          putRows: putRowsInPlace(runner),
          blank: (shape: readonly number[]) => (dtype === "float16" ? blankCache : blankTensor)(runner, shape),
          widen: widenOn(runner),
          takeRows: takeRowsOn(runner),
          fused: wgslOperations(runner),
        }
      : { putRows: scatterRows }),
    failure: watchDevice(backend()),
    dispose: () => {
      gpu.close();
      release();
    },
  };
  const counted = { counters: countCommands(backend()) };
  return opsKernelSet(set, (device) => ({
    ...counted,
    ...(runner && ownKernels(new GpuDevice(device, runner), dtype)),
  }));
}

function ownKernels(device: GpuDevice, dtype: Chosen["dtype"]): Partial<Kernels> {
  return { ...shaderKernels(device), ...(dtype === "float16" && halfKernels(device)) };
}

function nameOf(dtype: unknown): string {
  return dtype === "float16" ? "webgpu-f16" : "webgpu";
}

/** How the WebGPU kernels compute, and where Node finds their packages. */
export interface WebGpuOptions {
  /** A folder whose `node_modules` hold the optional packages; Node alone. */
  readonly modules?: string;
  /** False for TensorFlow.js's operations alone. */
  readonly shaders?: boolean;
  /**
   * float16 holds weights and key-value caches in half precision, and computes in float32: half the memory of what lasts, on
   * every adapter. float32 by default.
   */
  readonly dtype?: "float32" | "float16";
}

/** Any GPU that Vulkan, Metal or Direct3D 12 reaches, float32 by default. */
export function webGpuKernels(options: WebGpuOptions = {}): KernelSource {
  return { device: nameOf(options.dtype), module: import.meta.url, options: { ...options } };
}
