import { totalmem } from "node:os";
import { join } from "node:path";
import { LaconicError } from "@laconic/core";
import type { CreateKernels, KernelSource } from "@laconic/kernels";
import { tensorFlowKernels, wasmKernels, webGpuKernels, type OptionalDevice } from "@laconic/kernels-tfjs";
import { torchKernels } from "@laconic/kernels-torch";
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
}

/** Where the packages of optional devices are: one folder each. */
export function devicesFolder(): string {
  return process.env["LACONIC_DEVICES"] ?? join(userCache(), "devices");
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
  },
  {
    name: "tensorflow-gpu",
    about: "TensorFlow on an NVIDIA GPU",
    workers: 1,
    source: () => tensorFlowKernels({ gpu: true, ...modulesOf("tensorflow-gpu") }),
  },
  {
    name: "cpu",
    about: "PyTorch's C++ library on all cores",
    workers: 1,
    memory: (workers) => totalmem() / workers,
    source: () => torchKernels({ device: "cpu" }),
  },
  {
    name: "tensorflow",
    about: "TensorFlow on all cores",
    workers: 1,
    memory: (workers) => totalmem() / workers,
    source: () => tensorFlowKernels(modulesOf("tensorflow")),
  },
  {
    name: "wasm",
    about: "TensorFlow.js and SIMD kernels on WebAssembly; needs nothing but npm",
    workers: 2,
    // WebAssembly addresses 32 bits.
    memory: (workers) => Math.min(totalmem() / workers, 2 ** 32),
    source: wasmKernels,
  },
  {
    // After those that compute on the processor: its adapter may be a program that runs there too.
    name: "webgpu",
    about: "any GPU with a Vulkan, Metal or Direct3D 12 driver",
    workers: 1,
    source: () => webGpuKernels(modulesOf("webgpu")),
  },
];

export interface DeviceReport {
  readonly name: string;
  readonly about: string;
  readonly works: boolean;
  /** Library and version, or what is missing. */
  readonly detail: string;
}

/** Starts each device once and multiplies two numbers on it. */
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

function deviceNamed(name: string): KnownDevice {
  const device = devices.find((each) => each.name === name);
  if (device) return device;
  throw new LaconicError(
    "device_unavailable",
    `device ${name} is not known; use auto or ${devices.map((each) => each.name).join(", ")}`,
    { device: name },
  );
}

async function probe({ name, about, source }: KnownDevice): Promise<DeviceReport> {
  try {
    const { module, options } = source();
    const { createKernels } = (await import(module)) as { createKernels: CreateKernels };
    const kernels = await createKernels(options);
    try {
      const [two, three] = [2, 3].map((value) => kernels.upload(Float32Array.of(value), [1, 1])) as [never, never];
      const works = (await kernels.read(kernels.linear(two, three)))[0] === 6;
      return { name, about, works, detail: works ? kernels.backend : `${kernels.backend}: 2 x 3 came out wrong` };
    } finally {
      kernels.dispose();
    }
  } catch (error) {
    return { name, about, works: false, detail: error instanceof Error ? error.message : String(error) };
  }
}
