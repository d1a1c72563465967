import { LaconicError } from "@laconic/core";
import type { KernelSource } from "@laconic/engine/kernels";
import { deviceNamed, devices, type KnownDevice } from "./known-devices.ts";
import { gpusHere, type GpuReport } from "./list-gpus.ts";
import { probeInChild } from "./probe-in-child.ts";
import { tryDevice, type DeviceOutcome } from "./try-device.ts";

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

/**
 * Before an engine starts on a GPU: the GPUs that were named exist, and the library starts, tried where a crash ends nothing.
 * Other devices are not tried: their start says by itself what is missing.
 * @throws LaconicError `device_unavailable` with the GPUs that there are, or with what is missing
 */
export async function expectGpus({
  name,
  source,
}: {
  readonly name: string;
  readonly source: KernelSource;
}): Promise<void> {
  const { device, indices } = deviceNamed(name);
  if (!device.indexed) return;
  if (indices !== null) expectIndices(name, indices, await gpusHere());
  const { works, detail } = await outcomeOf(device, () => source);
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

/** Starts a device, in a process of its own where it loads native code; once in this process. */
export async function probe(device: KnownDevice): Promise<DeviceReport> {
  const { name, about } = device;
  return { name, about, ...(await outcomeOf(device, () => device.source())) };
}

async function outcomeOf(
  { native, remedy }: KnownDevice,
  sourceOf: () => KernelSource | Promise<KernelSource>,
): Promise<DeviceOutcome> {
  let source: KernelSource;
  try {
    source = await sourceOf();
  } catch (error) {
    if (LaconicError.is(error)) return { works: false, detail: error.message };
    throw error;
  }
  const key = JSON.stringify([source, process.env["LACONIC_TORCH"], process.env["LACONIC_PYTHON"]]);
  // What is not there is refused before anything native is loaded.
  const tried = async (): Promise<DeviceOutcome> =>
    (await native()) ? probeInChild(source, remedy) : tryDevice(source);
  const outcome = probed.get(key) ?? tried();
  probed.set(key, outcome);
  return outcome;
}
