import {
  checkedKernels,
  checkRanges,
  type KernelFamily,
  type Kernels,
  rangeOf,
  type CreateKernels,
  type KernelSource,
} from "../kernels/index.ts";
import { attentionKernels } from "./attention.ts";
import { elementwiseKernels } from "./elementwise.ts";
import { GpuDevice } from "./gpu-device.ts";
import { headKernels } from "./head.ts";
import { cacheKernels } from "./key-value-cache.ts";
import { linearKernels } from "./linear.ts";
import { normKernels, rotaryKernels } from "./norm.ts";
import type { OpenGpu } from "./open-gpu.ts";
import { optimizerKernels } from "./optimizer.ts";
import { pieceKernels } from "./pieces.ts";
import { ProgramRunner } from "./program-runner.ts";
import { rowWriteKernels, rowKernels } from "./rows.ts";
import { samplingKernels } from "./sampling.ts";
import { configError } from "@laconic/core";
import { hasWebGpu, openWebGpu, optionNames } from "#webgpu";

/** `dispose` closes the device. */
export function webGpuKernelSet(gpu: OpenGpu): Kernels {
  const runner = new ProgramRunner(gpu);
  const device = new GpuDevice(runner);
  const { liveCaches, ...caches } = cacheKernels(device);
  return checkedKernels(checkRanges(device.store), {
    device: "webgpu",
    backend: `wgsl, ${gpu.adapter}`,
    ...(gpu.emulated && { emulated: true }),
    dtype: "float32",
    // Tiles depend on shapes, and compilers may fuse operations.
    deterministic: false,
    batchInvariant: false,
    cachePageSize: 64,
    memory: () => null,
    counters: () => runner.counters(),
    liveTensors: () => device.store.count + liveCaches(),
    dispose: () => {
      device.store.dispose();
      runner.dispose();
    },
    ...lifetimeKernels(device),
    ...pieceKernels(device),
    ...elementwiseKernels(device),
    ...rowKernels(device),
    ...rowWriteKernels(device),
    ...linearKernels(device),
    ...normKernels(device),
    ...rotaryKernels(device),
    ...attentionKernels(device),
    ...caches,
    ...headKernels(device),
    ...samplingKernels(device),
    ...optimizerKernels(device),
  });
}

function lifetimeKernels(device: GpuDevice): KernelFamily<"lifetime"> {
  const { runner, store } = device;
  return {
    ...store.kernels(),
    upload(values, shape) {
      const data = runner.upload(values, shape);
      return values instanceof Int32Array ? store.adoptInts(data, rangeOf(values)) : store.adoptFloats(data);
    },
    read: (tensor) => runner.read(store.get(tensor).data),
    zeros: (shape) => device.zeros(shape),
    copy: (tensor) => store.adoptLike(tensor, device.data(tensor).view()),
    reshape: (tensor, shape) => store.adoptLike(tensor, device.data(tensor).view(shape)),
  };
}

/**
 * Opens a GPU through the browser's WebGPU or, in Node, the `webgpu` package (Dawn).
 * @throws LaconicError `device_unavailable`, `config_invalid`
 */
export const createKernels: CreateKernels = async (options = {}) => {
  const unknown = Object.keys(options).find((key) => !optionNames.includes(key));
  if (unknown !== undefined) throw configError(`webgpu kernels: unknown option "${unknown}"`, { key: unknown });
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
