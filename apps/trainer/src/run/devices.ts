import { totalmem } from "node:os";
import { join } from "node:path";
import { environmentValue } from "../cli/environment.ts";
import { LaconicError } from "@laconic/core";
import type { KernelSource } from "@laconic/kernels";
import { isInstalled, tensorFlowKernels, wasmKernels, webGpuKernels, type OptionalDevice } from "@laconic/kernels-tfjs";
import { findTorch, torchKernels } from "@laconic/kernels-torch";
import { probeInChild } from "./probe-in-child.ts";
import { tryDevice, type DeviceOutcome } from "./try-device.ts";
import { userCache } from "./user-cache.ts";

/** A device that the app knows. */
interface KnownDevice {
  readonly name: string;
  readonly about: string;
  /** Worker threads unless told: a library with threads of its own needs one. */
  readonly workers: number;
  /** float32 unless told. */
  readonly dtype?: "bfloat16";
  /** Bytes for each worker, where the device's memory is the machine's. */
  readonly memory?: (workers: number) => number;
  source(): KernelSource;
  /** Whether a start would load native code, which can crash: it is tried in a process of its own. */
  native(): boolean;
}

/** Where the packages of optional devices are: one folder each. */
export function devicesFolder(): string {
  return environmentValue("LACONIC_DEVICES") ?? join(userCache(), "devices");
}

function modulesOf(device: OptionalDevice): { readonly modules: string } {
  return { modules: join(devicesFolder(), device) };
}

/** In the order `auto` tries them. */
const devices: readonly KnownDevice[] = [
  {
    name: "cuda",
    about: "PyTorch's C++ library on an NVIDIA GPU",
    workers: 1,
    dtype: "bfloat16",
    source: () => torchKernels({ device: "cuda", dtype: "bfloat16" }),
    native: () => hasTorch("cuda"),
  },
  {
    name: "tensorflow-gpu",
    about: "TensorFlow on an NVIDIA GPU",
    workers: 1,
    source: () => tensorFlowKernels({ gpu: true, ...modulesOf("tensorflow-gpu") }),
    native: () => isInstalled("tensorflow-gpu", modulesOf("tensorflow-gpu")),
  },
  {
    name: "cpu",
    about: "PyTorch's C++ library on all cores",
    workers: 1,
    memory: (workers) => totalmem() / workers,
    source: () => torchKernels({ device: "cpu" }),
    native: () => hasTorch("cpu"),
  },
  {
    name: "tensorflow",
    about: "TensorFlow on all cores",
    workers: 1,
    memory: (workers) => totalmem() / workers,
    source: () => tensorFlowKernels(modulesOf("tensorflow")),
    native: () => isInstalled("tensorflow", modulesOf("tensorflow")),
  },
  {
    name: "wasm",
    about: "SIMD kernels on WebAssembly; needs nothing but npm",
    workers: 2,
    // WebAssembly addresses 32 bits.
    memory: (workers) => Math.min(totalmem() / workers, 2 ** 32),
    source: wasmKernels,
    native: () => false,
  },
  {
    // After wasm, which works everywhere: it is for those who ask for it.
    name: "wasm-fma",
    about: "the same with fused multiplication and addition: faster, its bits are the machine's; needs Node 22",
    workers: 2,
    memory: (workers) => Math.min(totalmem() / workers, 2 ** 32),
    source: () => wasmKernels({ fma: true }),
    native: () => false,
  },
  {
    // After those that compute on the processor: its adapter may be a program that runs there too.
    name: "webgpu",
    about: "any GPU with a Vulkan, Metal or Direct3D 12 driver",
    workers: 1,
    source: () => webGpuKernels(modulesOf("webgpu")),
    native: () => isInstalled("webgpu", modulesOf("webgpu")),
  },
];

export interface DeviceReport extends DeviceOutcome {
  readonly name: string;
  readonly about: string;
}

/** Starts each device once and multiplies two numbers on it; native ones in processes of their own. */
export async function probeDevices(): Promise<DeviceReport[]> {
  const reports: DeviceReport[] = [];
  for (const device of devices) reports.push(await probe(device));
  return reports;
}

/** Starts one device. @throws LaconicError `device_unavailable` for one that does not exist */
export function probeDevice(name: string): Promise<DeviceReport> {
  return probe(deviceNamed(name));
}

/** What a run works on. */
export interface ChosenDevice {
  readonly name: string;
  readonly source: KernelSource;
  readonly workers: number;
  readonly dtype: "float32" | "bfloat16";
  /** Bytes for each worker, where the device's memory is the machine's; null where the kernels know, or nobody does. */
  readonly memory: number | null;
}

/**
 * A device by name; `auto` is the first that works, and `note` hears why it is not an earlier one.
 * @throws LaconicError `device_unavailable` for a device that does not exist, or when none works.
 */
export async function chooseDevice(
  name: string,
  workers: number | "auto",
  note: (text: string) => void,
): Promise<ChosenDevice> {
  const chosen = (device: KnownDevice): ChosenDevice => {
    const count = workers === "auto" ? device.workers : workers;
    return {
      name: device.name,
      source: device.source(),
      workers: count,
      dtype: device.dtype ?? "float32",
      memory: device.memory?.(count) ?? null,
    };
  };
  if (name !== "auto") return chosen(deviceNamed(name));
  const missing: string[] = [];
  for (const device of devices) {
    const { works, detail } = await probe(device);
    if (works) {
      note(`device ${device.name}: ${detail}${missing.length > 0 ? `; not ${missing.join(", ")} (see doctor)` : ""}`);
      return chosen(device);
    }
    missing.push(device.name);
  }
  throw new LaconicError("device_unavailable", "no device works here; laconic doctor says what each one needs");
}

/** @throws LaconicError `device_unavailable` unless it is `auto` or a device that the app knows, working here or not */
export function checkDeviceName(name: string): void {
  if (name !== "auto") deviceNamed(name);
}

function deviceNamed(name: string): KnownDevice {
  const device = devices.find((each) => each.name === name);
  if (device) return device;
  throw new LaconicError(
    "device_unavailable",
    `device ${name} is not known; use auto or ${devices.map((each) => each.name).join(", ")}`,
    { device: name },
  );
}

/** What a device came to in this process: starting one can take seconds. */
const probed = new Map<string, Promise<DeviceOutcome>>();

async function probe({ name, about, source, native }: KnownDevice): Promise<DeviceReport> {
  const start = source();
  const key = JSON.stringify([start, process.env["LACONIC_TORCH"], process.env["LACONIC_PYTHON"]]);
  // What is not there is refused before anything native is loaded.
  const outcome = probed.get(key) ?? (native() ? probeInChild(start) : tryDevice(start));
  probed.set(key, outcome);
  return { name, about, ...(await outcome) };
}

/** Whether there is a PyTorch to load. */
function hasTorch(device: "cpu" | "cuda"): boolean {
  try {
    const { cuda } = findTorch();
    return device === "cpu" || cuda;
  } catch {
    return false;
  }
}
