import { formatNumber } from "@laconic/core/text";
import { LaconicError } from "@laconic/core";
import type { KernelSource } from "@laconic/engine/kernels";
import { deviceNamed, devices, type KernelFacts, type KnownDevice } from "./known-devices.ts";
import type { DeviceSpeed } from "./measure-device.ts";
import { measureInChild } from "./probe-in-child.ts";
import { probe } from "./probe-devices.ts";

/** What a run works on. */
export interface ChosenDevice {
  readonly name: string;
  /** Of the first worker; the others' differ by the index of the GPU alone. */
  readonly source: KernelSource;
  /** One each where the workers have GPUs of their own; else what all of them start. */
  readonly sources: KernelSource | readonly KernelSource[];
  readonly workers: number;
  readonly dtype: "float32" | "bfloat16";
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
  const chosen = async (device: KnownDevice, indices: readonly number[] | null = null): Promise<ChosenDevice> => {
    if (indices !== null && workers !== "auto" && workers !== indices.length)
      throw otherWorkers(name, indices, workers);
    if (deterministic && device.deterministic === "never")
      throw new LaconicError(
        "config_invalid",
        `deterministic: device ${device.name} does not give the same bits for the same calls; take cuda, cpu or wasm`,
        { key: "deterministic" },
      );
    const sources = await Promise.all((indices ?? []).map(async (index) => device.source(index, deterministic)));
    const count = indices?.length ?? (workers === "auto" ? device.workers : workers);
    const source = sources[0] ?? (await device.source(0, deterministic));
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
        device.memory && !device.measured && !deterministic
          ? await againstGpus(device, detail)
          : { taken: device, why: detail };
      note(`device ${taken.name}: ${why}${missing.length > 0 ? `; not ${missing.join(", ")} (see doctor)` : ""}`);
      return chosen(taken);
    }
    missing.push(device.name);
  }
  throw new LaconicError("device_unavailable", "no device works here; laconic doctor says what each one needs");
}

/** The fastest of a device of the processor and the real GPUs to be measured; and why. */
async function againstGpus(
  device: KnownDevice,
  detail: string,
): Promise<{ readonly taken: KnownDevice; readonly why: string }> {
  let taken = { device, detail };
  const reasons: string[] = [];
  for (const rival of devices.filter(({ measured }) => measured)) {
    const outcome = await probe(rival);
    if (!outcome.works) continue;
    if (outcome.emulated === true) {
      reasons.push(`not ${rival.name}, whose ${outcome.detail} is a program on the processor`);
      continue;
    }
    const [own, other] = [await speedOf(taken.device), await speedOf(rival)];
    const winner = fasterOf([taken.device.name, own], [rival.name, other]);
    if (winner.name === rival.name) taken = { device: rival, detail: outcome.detail };
    reasons.push(winner.why);
  }
  return { taken: taken.device, why: [taken.detail, ...reasons].join("; ") };
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
      : `${name} takes ${formatNumber(speed.stepSeconds)} s for a step of a test model ` +
        `(decode step ${formatNumber(speed.decodeMs)} ms, products ${formatNumber(speed.gflops)} GFLOP/s)`;
  return { name: winner[0], why: `${said(winner)}, ${said(loser)}` };
}

const speeds = new Map<string, Promise<DeviceSpeed | null>>();

/** Measured once in this process. */
function speedOf({ name, source }: KnownDevice): Promise<DeviceSpeed | null> {
  const speed = speeds.get(name) ?? Promise.resolve(source()).then(measureInChild);
  speeds.set(name, speed);
  return speed;
}

/** What `auto` takes here, and why. @throws LaconicError `device_unavailable` where no device works */
export async function automaticDevice(): Promise<string> {
  let why = "";
  await chooseDevice("auto", "auto", (text) => (why = text));
  return why;
}

function otherWorkers(name: string, indices: readonly number[], workers: number): LaconicError {
  return new LaconicError(
    "config_invalid",
    `workers is ${workers}, but device ${name} names ${indices.length} GPUs, and each has one worker; leave workers at auto`,
    { key: "workers" },
  );
}
