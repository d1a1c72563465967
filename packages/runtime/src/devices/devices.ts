import { totalmem } from "node:os";
import { join } from "node:path";
import { environmentValue } from "../folders/environment.ts";
import { LaconicError } from "@laconic/core";
import type { MemorySettings } from "@laconic/engine";
import type { KernelSource } from "@laconic/kernels";
import { isInstalled, tensorFlowKernels } from "@laconic/kernels-tfjs";
import { wasmKernels, wasmPageSize } from "@laconic/kernels-wasm";
import { isInstalled as hasDawn, webGpuKernels } from "@laconic/kernels-webgpu";
import { findTorch, torchKernels, torchMemory } from "@laconic/kernels-torch";
import { parseDeviceName } from "./device-name.ts";
import type { OptionalDevice } from "./install/install-options.ts";
import { gpusHere, type GpuReport } from "./list-gpus.ts";
import type { DeviceSpeed } from "./measure-device.ts";
import { measureInChild, probeInChild } from "./probe-in-child.ts";
import { tryDevice, type DeviceOutcome } from "./try-device.ts";
import { userCache } from "../folders/user-cache.ts";

/** Of a device's kernels, as far as their memory depends on it. */
type KernelFacts = Pick<MemorySettings, "headBytes" | "cachePageSize" | "packedWeights">;

/** A device that the app knows. */
interface KnownDevice {
  readonly name: string;
  readonly about: string;
  /** Worker threads by default: a library with threads of its own needs one. */
  readonly workers: number;
  /** float32 by default. */
  readonly dtype?: "bfloat16" | "float16";
  /** Bytes for each worker, where the device's memory is the machine's. */
  readonly memory?: (workers: number) => number;
  /** What a plan needs to know of its kernels. */
  readonly kernels?: KernelFacts;
  /** Whether it counts GPUs, as `cuda:1` names one. */
  readonly indexed?: true;
  /** @param index - of the GPU; the first by default */
  source(index?: number, deterministic?: boolean): KernelSource;
  /** What can be made to compute the same bits again is `able`; the processor's devices always do, the others never. */
  readonly deterministic?: "able" | "never";
  /** A GPU that `auto` takes before the processor where it is one, and measures faster. */
  readonly measured?: true;
  /** What to do when its library crashes or hangs. */
  readonly remedy: string;
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

const otherDriver = "update the GPU's driver, or take another device";
const otherTorch = "name another PyTorch with LACONIC_TORCH, or take another device";
const enableAnew = (name: OptionalDevice): string =>
  `laconic doctor --enable ${name} installs it anew; or take another device`;

const cudaKernels = (
  index: number,
  more: { readonly graphs?: true; readonly deterministic?: true } = {},
): KernelSource => torchKernels({ device: "cuda", dtype: "bfloat16", ...(index > 0 && { index }), ...more });

/** In the order `auto` tries them. */
const devices: readonly KnownDevice[] = [
  {
    name: "cuda",
    about: "PyTorch's C++ library on an NVIDIA GPU: bfloat16, TF32 off",
    workers: 1,
    dtype: "bfloat16",
    kernels: torchMemory.cuda,
    indexed: true,
    deterministic: "able",
    source: (index = 0, deterministic = false) => cudaKernels(index, deterministic ? { deterministic } : {}),
    remedy: otherTorch,
    native: () => hasTorch("cuda"),
  },
  {
    name: "tensorflow-gpu",
    deterministic: "never",
    about: "TensorFlow on an NVIDIA GPU",
    workers: 1,
    source: () => tensorFlowKernels({ gpu: true, ...modulesOf("tensorflow-gpu") }),
    remedy: enableAnew("tensorflow-gpu"),
    native: () => isInstalled("tensorflow-gpu", modulesOf("tensorflow-gpu")),
  },
  {
    name: "cpu",
    about: "PyTorch's C++ library on all cores",
    workers: 1,
    memory: (workers) => totalmem() / workers,
    kernels: torchMemory.cpu,
    source: () => torchKernels({ device: "cpu" }),
    remedy: otherTorch,
    native: () => hasTorch("cpu"),
  },
  {
    name: "tensorflow",
    deterministic: "never",
    about: "TensorFlow on all cores",
    workers: 1,
    memory: (workers) => totalmem() / workers,
    source: () => tensorFlowKernels(modulesOf("tensorflow")),
    remedy: enableAnew("tensorflow"),
    native: () => isInstalled("tensorflow", modulesOf("tensorflow")),
  },
  {
    // Before wasm, which works everywhere: who wants the bits of every machine names wasm.
    name: "wasm-fma",
    about: "the same with fused multiplication and addition: faster, its bits are the machine's; needs Node 22",
    workers: 2,
    memory: (workers) => Math.min(totalmem() / workers, 2 ** 32),
    kernels: { cachePageSize: wasmPageSize },
    source: () => wasmKernels({ fma: true }),
    remedy: "take device wasm, which rounds twice, or Node 22",
    native: () => false,
  },
  {
    name: "wasm",
    about: "SIMD kernels on WebAssembly; needs nothing but npm",
    workers: 2,
    // WebAssembly addresses 32 bits.
    memory: (workers) => Math.min(totalmem() / workers, 2 ** 32),
    kernels: { cachePageSize: wasmPageSize },
    source: () => wasmKernels(),
    remedy: "take another device",
    native: () => false,
  },
  {
    // After those that compute on the processor: its adapter may be a program that runs there too, and not every GPU is faster.
    name: "webgpu",
    deterministic: "never",
    measured: true,
    about: "any GPU with a Vulkan, Metal or Direct3D 12 driver",
    workers: 1,
    source: () => webGpuKernels(modulesOf("webgpu")),
    remedy: otherDriver,
    native: () => hasDawn(modulesOf("webgpu")),
  },
  {
    // For those who ask for it: weights are rounded.
    name: "webgpu-f16",
    deterministic: "never",
    about: "the same with weights and caches in half precision, exact ones in the optimiser; computes in float32",
    workers: 1,
    dtype: "float16",
    source: () => webGpuKernels({ ...modulesOf("webgpu"), dtype: "float16" }),
    remedy: otherDriver,
    native: () => hasDawn(modulesOf("webgpu")),
  },
  {
    // After wasm, which works everywhere: no GPU has run it yet.
    name: "cuda-fast",
    about: "cuda with decode steps as graphs, not yet run on a GPU",
    workers: 1,
    dtype: "bfloat16",
    kernels: torchMemory.cuda,
    indexed: true,
    deterministic: "able",
    source: (index = 0, deterministic = false) =>
      cudaKernels(index, { graphs: true, ...(deterministic && { deterministic }) }),
    remedy: "take device cuda",
    native: () => hasTorch("cuda"),
  },
];

/** What `auto` takes here, and why. @throws LaconicError `device_unavailable` where no device works */
export async function automaticDevice(): Promise<string> {
  let why = "";
  await chooseDevice("auto", "auto", (text) => (why = text));
  return why;
}

/** What became of trying a device. */
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
  return probe(deviceNamed(name).device);
}

/** What a run works on. */
export interface ChosenDevice {
  readonly name: string;
  /** Of the first worker; the others' differ by the index of the GPU alone. */
  readonly source: KernelSource;
  /** One each where the workers have GPUs of their own; else what all of them start. */
  readonly sources: KernelSource | readonly KernelSource[];
  readonly workers: number;
  readonly dtype: "float32" | "bfloat16" | "float16";
  /** Bytes for each worker, where the device's memory is the machine's; null where the kernels know, or nobody does. */
  readonly memory: number | null;
  /** What a plan needs to know of its kernels. */
  readonly kernels: KernelFacts;
}

/**
 * A device by name; `auto` is the first that works, and `note` hears why it is not an earlier one.
 * @throws LaconicError `device_unavailable` for a device that does not exist, or when none works.
 */
export async function chooseDevice(
  name: string,
  workers: number | "auto",
  note: (text: string) => void,
  { deterministic = false }: { readonly deterministic?: boolean } = {},
): Promise<ChosenDevice> {
  const chosen = (device: KnownDevice, indices: readonly number[] | null = null): ChosenDevice => {
    if (indices !== null && workers !== "auto" && workers !== indices.length)
      throw otherWorkers(name, indices, workers);
    if (deterministic && device.deterministic === "never")
      throw new LaconicError(
        "config_invalid",
        `deterministic: device ${device.name} does not give the same bits for the same calls; take cuda, cpu or wasm`,
        { key: "deterministic" },
      );
    const sources = (indices ?? []).map((index) => device.source(index, deterministic));
    const count = indices?.length ?? (workers === "auto" ? device.workers : workers);
    const source = sources[0] ?? device.source(0, deterministic);
    return {
      name: indices === null ? device.name : name,
      source,
      sources: indices === null ? source : sources,
      workers: count,
      dtype: device.dtype ?? "float32",
      memory: device.memory?.(count) ?? null,
      kernels: device.kernels ?? {},
    };
  };
  if (name !== "auto") {
    const { device, indices } = deviceNamed(name);
    return chosen(device, indices);
  }
  const missing: string[] = [];
  for (const device of devices) {
    if (deterministic && device.deterministic === "never") continue;
    const { works, detail } = await probe(device);
    if (works) {
      const { taken, why } =
        device.memory && !deterministic ? await againstGpus(device, detail) : { taken: device, why: detail };
      note(`device ${taken.name}: ${why}${missing.length > 0 ? `; not ${missing.join(", ")} (see doctor)` : ""}`);
      return chosen(taken);
    }
    missing.push(device.name);
  }
  throw new LaconicError("device_unavailable", "no device works here; laconic doctor says what each one needs");
}

/** The first GPU to be measured that is real and faster than a device of the processor, else that device; and why. */
async function againstGpus(
  device: KnownDevice,
  detail: string,
): Promise<{ readonly taken: KnownDevice; readonly why: string }> {
  for (const rival of devices.filter(({ measured }) => measured)) {
    const outcome = await probe(rival);
    if (!outcome.works) continue;
    if (outcome.emulated === true)
      return {
        taken: device,
        why: `${detail}; not ${rival.name}, whose ${outcome.detail} is a program on the processor`,
      };
    const [own, other] = [await speedOf(device), await speedOf(rival)];
    const winner = fasterOf([device.name, own], [rival.name, other]);
    return winner.name === rival.name
      ? { taken: rival, why: `${outcome.detail}; ${winner.why}` }
      : { taken: device, why: `${detail}; ${winner.why}` };
  }
  return { taken: device, why: detail };
}

/** A device and what was measured of it; null for a measurement that failed. */
type Contender = readonly [name: string, speed: DeviceSpeed | null];

/** The one with the shorter step; one that could not be measured loses, and the first wins where neither could. */
export function fasterOf(first: Contender, second: Contender): { readonly name: string; readonly why: string } {
  const seconds = ([, speed]: Contender): number => speed?.stepSeconds ?? Infinity;
  const [winner, loser] = seconds(second) < seconds(first) ? [second, first] : [first, second];
  const said = ([name, speed]: Contender): string =>
    speed === null
      ? `${name} could not be measured`
      : `${name} takes ${speed.stepSeconds.toPrecision(2)} s for a step of a test model ` +
        `(decode step ${speed.decodeMs.toPrecision(2)} ms, products ${Math.round(speed.gflops)} GFLOP/s)`;
  return { name: winner[0], why: `${said(winner)}, ${said(loser)}` };
}

const speeds = new Map<string, Promise<DeviceSpeed | null>>();

/** Measured once in this process. */
function speedOf({ name, source }: KnownDevice): Promise<DeviceSpeed | null> {
  const speed = speeds.get(name) ?? measureInChild(source());
  speeds.set(name, speed);
  return speed;
}

/** @throws LaconicError `device_unavailable` unless it is `auto` or a device that the app knows, working here or not */
export function checkDeviceName(name: string): void {
  if (name !== "auto") deviceNamed(name);
}

function deviceNamed(text: string): { readonly device: KnownDevice; readonly indices: readonly number[] | null } {
  const { name, indices } = parseDeviceName(text);
  const device = devices.find((each) => each.name === name);
  if (!device)
    throw new LaconicError(
      "device_unavailable",
      `device ${name} is not known; use auto or ${devices.map((each) => each.name).join(", ")}`,
      { device: name },
    );
  if (indices !== null && !device.indexed)
    throw new LaconicError("device_unavailable", `device ${text}: ${name} counts no GPUs; only cuda does`, {
      device: text,
    });
  return { device, indices };
}

function otherWorkers(name: string, indices: readonly number[], workers: number): LaconicError {
  return new LaconicError(
    "config_invalid",
    `workers is ${workers}, but device ${name} names ${indices.length} GPUs, and each has one worker; leave workers at auto`,
    { key: "workers" },
  );
}

/**
 * Before an engine starts on a GPU: the GPUs that were named exist, and the library starts, tried where a crash ends nothing.
 * Other devices are not tried: their start says by itself what is missing.
 * @throws LaconicError `device_unavailable` with the GPUs that there are, or with what is missing
 */
export async function expectGpus({ name, source }: ChosenDevice): Promise<void> {
  const { device, indices } = deviceNamed(name);
  if (!device.indexed) return;
  if (indices !== null) expectIndices(name, indices, await gpusHere());
  const { works, detail } = await outcomeOf(device, source);
  if (!works) throw new LaconicError("device_unavailable", `device ${name}: ${detail}`, { device: name });
}

/** @throws LaconicError `device_unavailable` with the GPUs that there are */
export function expectIndices(name: string, indices: readonly number[], report: GpuReport): void {
  const gpus = "gpus" in report ? report.gpus : [];
  const absent = indices.find((index) => !gpus.some((gpu) => gpu.index === index));
  if (absent === undefined) return;
  const known = gpus.map((gpu) => `${gpu.index} (${gpu.name})`).join(", ");
  const here = "missing" in report ? report.missing : `there is ${known}`;
  throw new LaconicError("device_unavailable", `device ${name}: there is no GPU ${absent}; ${here}`, {
    device: name,
    index: absent,
  });
}

/** What a device came to in this process: starting one can take seconds. */
const probed = new Map<string, Promise<DeviceOutcome>>();

async function probe(device: KnownDevice): Promise<DeviceReport> {
  const { name, about } = device;
  return { name, about, ...(await outcomeOf(device, device.source())) };
}

function outcomeOf({ native, remedy }: KnownDevice, source: KernelSource): Promise<DeviceOutcome> {
  const key = JSON.stringify([source, process.env["LACONIC_TORCH"], process.env["LACONIC_PYTHON"]]);
  // What is not there is refused before anything native is loaded.
  const outcome = probed.get(key) ?? (native() ? probeInChild(source, remedy) : tryDevice(source));
  probed.set(key, outcome);
  return outcome;
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
