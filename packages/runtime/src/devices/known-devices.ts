import { totalmem } from "node:os";
import { join } from "node:path";
import { LaconicError, type ErrorDetail } from "@laconic/core";
import type { MemorySettings } from "@laconic/engine";
import type { KernelSource } from "@laconic/engine/kernels";
import { wasmKernels, wasmPageSize } from "@laconic/engine/wasm";
import { isInstalled as hasDawn, webGpuKernels } from "@laconic/engine/webgpu";
import { findTorch, torchKernels, torchMemory } from "@laconic/kernels-torch";
import { environmentValue, userCache } from "../folders/folders.ts";
import type { OptionalDevice } from "./install-device.ts";

export type KernelFacts = Pick<MemorySettings, "headBytes" | "cachePageSize" | "packedWeights">;

export interface KnownDevice {
  readonly name: string;
  readonly about: string;
  /** Default worker threads; absent: 1, for multithreaded libraries. */
  readonly workers?: number;
  /** Default float32. */
  readonly dtype?: "bfloat16";
  /** Bytes per worker of the machine's memory. */
  readonly memory?: (workers: number) => number;
  readonly kernels?: KernelFacts;
  /** Whether names can select GPUs, such as `cuda:1`. */
  readonly indexed?: true;
  source(index?: number, deterministic?: boolean): KernelSource | Promise<KernelSource>;
  /** `able`: bit-exact repeats on request. `never`: not possible. Absent: always (CPU devices). */
  readonly deterministic?: "able" | "never";
  /** Set for GPUs that `auto` prefers to the CPU if real and measured faster. */
  readonly measured?: true;
  readonly remedy: string;
  /** Whether a start loads native code, which then runs in a child process; absent: never. */
  native?(): boolean | Promise<boolean>;
}

/** Parent folder of optional devices' packages. */
export function devicesFolder(): string {
  return environmentValue("LACONIC_DEVICES") ?? join(userCache(), "devices");
}

function modulesOf(device: OptionalDevice): { readonly modules: string } {
  return { modules: join(devicesFolder(), device) };
}

const otherDriver = "update the GPU's driver, or use another device";
const otherTorch = "set LACONIC_TORCH to another PyTorch, or use another device";

const torchOn = (name: "cpu" | "cuda" | "mps") => ({
  name,
  kernels: torchMemory[name],
  source: () => torchKernels({ device: name }),
  remedy: otherTorch,
  native: () => hasTorch(name),
});

const tensorFlowOn = (name: "tensorflow" | "tensorflow-gpu") => ({
  name,
  deterministic: "never" as const,
  source: async () => (await tensorFlow()).tensorFlowKernels({ gpu: name === "tensorflow-gpu", ...modulesOf(name) }),
  remedy: `laconic doctor --enable ${name} reinstalls it; or use another device`,
  native: async () => (await tensorFlow()).isInstalled(name, modulesOf(name)),
});

const webAssembly = {
  workers: 2,
  /** WebAssembly has 32-bit addresses. */
  memory: (workers: number) => Math.min(totalmem() / workers, 2 ** 32),
  kernels: { cachePageSize: wasmPageSize },
};

/** Ordered as `auto` tries them. */
export const devices: readonly KnownDevice[] = [
  {
    ...torchOn("cuda"),
    about: "PyTorch's C++ library on an NVIDIA GPU: bfloat16, TF32 off",
    dtype: "bfloat16",
    indexed: true,
    deterministic: "able",
    source: (index = 0, deterministic = false) =>
      torchKernels({
        device: "cuda",
        dtype: "bfloat16",
        ...(index > 0 && { index }),
        ...(deterministic && { deterministic }),
      }),
  },
  {
    ...tensorFlowOn("tensorflow-gpu"),
    about: "TensorFlow on an NVIDIA GPU",
  },
  {
    ...torchOn("cpu"),
    about: "PyTorch's C++ library on all cores",
    memory: (workers) => totalmem() / workers,
  },
  {
    ...tensorFlowOn("tensorflow"),
    about: "TensorFlow on all cores",
    memory: (workers) => totalmem() / workers,
  },
  {
    // Before wasm, which gives identical bits on all machines.
    name: "wasm-fma",
    about: "wasm with fused multiply-add: faster, bits differ between machines; needs Node 22",
    ...webAssembly,
    source: () => wasmKernels({ fma: true }),
    remedy: "use device wasm, or Node 22",
  },
  {
    name: "wasm",
    about: "SIMD kernels on WebAssembly; needs only npm",
    ...webAssembly,
    source: () => wasmKernels(),
    remedy: "use another device",
  },
  {
    // After the CPU devices: its adapter may be software.
    name: "webgpu",
    deterministic: "never",
    measured: true,
    about: "any GPU with a Vulkan, Metal or Direct3D 12 driver",
    source: () => webGpuKernels(modulesOf("webgpu")),
    remedy: otherDriver,
    native: () => hasDawn(modulesOf("webgpu")),
  },
  {
    // After webgpu, because it has not run on a Mac yet.
    ...torchOn("mps"),
    deterministic: "never",
    measured: true,
    about: "PyTorch's C++ library on Apple GPUs (Metal), untested",
    memory: () => totalmem(),
  },
];

export function checkDeviceName(name: string): void {
  if (name !== "auto") deviceNamed(name);
}

export function deviceError(device: string, reason: string, detail?: ErrorDetail): LaconicError {
  return new LaconicError("device_unavailable", `device ${device}: ${reason}`, { device, ...detail });
}

/**
 * Reads `cuda`, or `cuda:0,1` for some of its GPUs with one worker each.
 * @returns the device, and the GPUs; null for the device's default
 * @throws LaconicError `device_unavailable` for an unknown name
 */
export function deviceNamed(text: string): {
  readonly device: KnownDevice;
  readonly indices: readonly number[] | null;
} {
  const [name = "", list] = text.split(/:(.*)/su);
  const indices = list === undefined ? null : gpuNumbers(list, text);
  const device = devices.find((item) => item.name === name);
  if (!device) throw deviceError(name, `unknown; use auto or ${devices.map((item) => item.name).join(", ")}`);
  if (indices !== null && !device.indexed) throw deviceError(text, `${name} takes no GPU numbers; only cuda does`);
  return { device, indices };
}

/** Optional peer of 40 MB. */
async function tensorFlow(): Promise<typeof import("@laconic/kernels-tfjs")> {
  try {
    return await import("@laconic/kernels-tfjs");
  } catch (error) {
    const message = "the package @laconic/kernels-tfjs is not installed: npm install @laconic/kernels-tfjs";
    throw new LaconicError("device_unavailable", message, {}, error);
  }
}

function hasTorch(device: "cpu" | "cuda" | "mps"): boolean {
  if (device === "mps" && process.platform !== "darwin") return false;
  try {
    const { cuda } = findTorch();
    return device !== "cuda" || cuda;
  } catch {
    return false;
  }
}

function gpuNumbers(list: string, device: string): number[] {
  const indices = list.split(",");
  if (!indices.every((index) => /^\d{1,4}$/u.test(index)))
    throw deviceError(device, "expected GPU numbers after the colon, such as cuda:0 or cuda:0,1");
  const numbers = indices.map(Number);
  const twice = numbers.find((index, i) => numbers.indexOf(index) < i);
  if (twice === undefined) return numbers;
  throw deviceError(device, `GPU ${twice} is listed twice; each worker needs its own GPU`);
}
