import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { formatNumber } from "@laconic/core/text";
import { configError, LaconicError, refuseSetting } from "@laconic/core";
import type { KernelSource } from "@laconic/engine/kernels";
import type { Gpu } from "@laconic/kernels-torch";
import { deviceError, deviceNamed, devices, type KernelFacts, type KnownDevice } from "./known-devices.ts";
import { tryDevice, type DeviceSpeed, type DeviceOutcome } from "./try-device.ts";

export interface ChosenDevice {
  readonly name: string;
  /** Kernels of the first worker; others differ only in the GPU index. */
  readonly source: KernelSource;
  /** A list if each worker has a GPU. */
  readonly sources: KernelSource | readonly KernelSource[];
  readonly workers: number;
  readonly dtype: "float32" | "bfloat16";
  /** Bytes per worker if the device uses the machine's memory; otherwise null. */
  readonly memory: number | null;
  readonly kernels: KernelFacts;
}

/**
 * Returns the named device; `auto` takes the first working one, and `note` receives the reason.
 * @throws LaconicError `device_unavailable` for an unknown device, or if none works
 */
export async function chooseDevice(
  name: string,
  workers: number | "auto",
  note: (text: string) => void,
  { deterministic = false }: { readonly deterministic?: boolean } = {},
): Promise<ChosenDevice> {
  const chosen = async (device: KnownDevice, indices: readonly number[] | null = null): Promise<ChosenDevice> => {
    if (indices !== null && workers !== "auto" && workers !== indices.length)
      throw configError(
        `workers is ${workers}, but device ${name} names ${indices.length} GPUs with one worker each; set workers to auto`,
        { key: "workers" },
      );
    if (deterministic && device.deterministic === "never")
      refuseSetting("deterministic", `device ${device.name} is not deterministic; use cuda, cpu or wasm`);
    const sources = await Promise.all((indices ?? []).map(async (index) => device.source(index, deterministic)));
    const count = indices?.length ?? (workers === "auto" ? (device.workers ?? 1) : workers);
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
  throw new LaconicError("device_unavailable", "no device works here; laconic doctor lists what each device needs");
}

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
      reasons.push(`not ${rival.name}, whose ${outcome.detail} is a software adapter`);
      continue;
    }
    const [deviceSpeed, other] = [await speedOf(taken.device), await speedOf(rival)];
    const winner = fasterOf([taken.device.name, deviceSpeed], [rival.name, other]);
    if (winner.name === rival.name) taken = { device: rival, detail: outcome.detail };
    reasons.push(winner.why);
  }
  return { taken: taken.device, why: [taken.detail, ...reasons].join("; ") };
}

type Contender = readonly [name: string, speed: DeviceSpeed | null];

/** Returns the contender with the shorter step. A missing measurement loses; without any, the first wins. */
export function fasterOf(first: Contender, second: Contender): { readonly name: string; readonly why: string } {
  const seconds = ([, speed]: Contender): number => speed?.stepSeconds ?? Infinity;
  const [winner, loser] = seconds(second) < seconds(first) ? [second, first] : [first, second];
  const describe = ([name, speed]: Contender): string =>
    speed === null
      ? `${name} could not be measured`
      : `${name} takes ${formatNumber(speed.stepSeconds)} s for a step of a test model ` +
        `(decode step ${formatNumber(speed.decodeMs)} ms, products ${formatNumber(speed.gflops)} GFLOP/s)`;
  return { name: winner[0], why: `${describe(winner)}, ${describe(loser)}` };
}

const speeds = new Map<string, Promise<DeviceSpeed | null>>();

function speedOf({ name, source }: KnownDevice): Promise<DeviceSpeed | null> {
  const speed = speeds.get(name) ?? Promise.resolve(source()).then(measureInChild);
  speeds.set(name, speed);
  return speed;
}

/** Explains which device `auto` chooses. */
export async function automaticDevice(): Promise<string> {
  let why = "";
  await chooseDevice("auto", "auto", (text) => (why = text));
  return why;
}

/** Result of probing a device. */
export interface DeviceReport extends DeviceOutcome {
  readonly name: string;
  readonly about: string;
}

/** Starts each device and multiplies two numbers; native ones run in a child process. */
export async function probeDevices(): Promise<DeviceReport[]> {
  const reports: DeviceReport[] = [];
  for (const device of devices) reports.push(await probe(device));
  return reports;
}

/** @throws LaconicError `device_unavailable` for an unknown device */
export function probeDevice(name: string): Promise<DeviceReport> {
  return probe(deviceNamed(name).device);
}

/**
 * Checks in a child process that the named GPUs exist and the library starts. Other devices report problems at their
 * start.
 * @throws LaconicError `device_unavailable` with the existing GPUs, or the missing part
 */
export async function expectGpus({ name, source }: Pick<ChosenDevice, "name" | "source">): Promise<void> {
  const { device, indices } = deviceNamed(name);
  if (!device.indexed) return;
  if (indices !== null) expectIndices(name, indices, await gpusHere());
  const { works, detail } = await outcomeOf(device, () => source);
  if (!works) throw deviceError(name, detail);
}

/** Free bytes per worker; null if unknown. */
export async function freeBytesOf({ name, source, memory }: ChosenDevice): Promise<number | null> {
  const { device } = deviceNamed(name);
  if (memory !== null || !device.indexed) return memory;
  return (await outcomeOf(device, () => source)).freeBytes ?? null;
}

/** @throws LaconicError `device_unavailable` with the existing GPUs */
export function expectIndices(name: string, indices: readonly number[], report: GpuReport): void {
  const gpus = "gpus" in report ? report.gpus : [];
  const absent = indices.find((index) => !gpus.some((gpu) => gpu.index === index));
  if (absent === undefined) return;
  const names = gpus.map((gpu) => `${gpu.index} (${gpu.name})`).join(", ");
  const here = "missing" in report ? report.missing : `available: ${names}`;
  throw deviceError(name, `GPU ${absent} not found; ${here}`, { index: absent });
}

const probed = new Map<string, Promise<DeviceOutcome>>();

/** Starts a device once per process; native ones run in a child process. */
async function probe(device: KnownDevice): Promise<DeviceReport> {
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
  // Missing devices are refused before native code is loaded.
  const tried = async (): Promise<DeviceOutcome> =>
    (await native?.()) ? probeInChild(source, remedy) : tryDevice(source);
  const outcome = probed.get(key) ?? tried();
  probed.set(key, outcome);
  return outcome;
}

const tryEntry = new URL("../../assets/try-device.mjs", import.meta.url);

/** Measures in a child process; null on failure. The limit is short: slow devices are useless. */
export async function measureInChild(source: KernelSource): Promise<DeviceSpeed | null> {
  const outcome = await askChild<DeviceSpeed>(tryEntry, [JSON.stringify(source), "measure"], 30_000);
  return "answer" in outcome ? outcome.answer : null;
}

/** Runs `tryDevice` in a child process, to survive crashes. @param remedy - advice after a crash */
export async function probeInChild(
  source: KernelSource,
  remedy: string,
  timeoutMs: number = 120_000,
): Promise<DeviceOutcome> {
  const outcome = await askChild<DeviceOutcome>(tryEntry, [JSON.stringify(source)], timeoutMs);
  if ("answer" in outcome) return outcome.answer;
  return { works: false, detail: `does not work: ${outcome.failed}; ${remedy}` };
}

type GpuReport = { readonly gpus: readonly Gpu[] } | { readonly missing: string };

const listEntry = new URL("../../assets/list-gpus.mjs", import.meta.url);

let asked: Promise<GpuReport> | null = null;

/** Queries the driver once, in a child process. */
export function gpusHere(): Promise<GpuReport> {
  asked ??= askChild<GpuReport>(listEntry, [], 60_000).then((outcome) =>
    "answer" in outcome ? outcome.answer : { missing: `NVIDIA's driver does not work: ${outcome.failed}` },
  );
  return asked;
}

type ChildAnswer<T> = { readonly answer: T } | { readonly failed: string };

/** Runs a module in a child process and returns its first message, because native code may crash or hang. */
function askChild<T>(entry: URL, args: readonly string[], timeoutMs: number): Promise<ChildAnswer<T>> {
  return new Promise((resolve) => {
    const child = fork(fileURLToPath(entry), args, { stdio: ["ignore", "ignore", "pipe", "ipc"], execArgv: [] });
    let printed = "";
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      printed = (printed + text).slice(-4096);
    });
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      child.kill("SIGKILL");
    }, timeoutMs);
    const end = (outcome: ChildAnswer<T>): void => {
      clearTimeout(timer);
      resolve(outcome);
    };
    const fails = (how: string): void => {
      const reason = lastLine(printed);
      end({ failed: reason === "" ? how : `${how} (${reason})` });
    };
    child.once("message", (answer) => end({ answer: answer as T }));
    child.once("error", (error) => fails(error.message));
    child.once("close", (code, signal) => {
      if (late) fails(`did not answer within ${timeoutMs / 1000} s`);
      else fails(signal === null ? `its process ended with exit code ${code}` : `crashed with ${signal}`);
    });
  });
}

function lastLine(text: string): string {
  const line = text.trimEnd().split("\n").at(-1) ?? "";
  const visible = line.replace(/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu, "");
  return visible.trim().slice(0, 200);
}
