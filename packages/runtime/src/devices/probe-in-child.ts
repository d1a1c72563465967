import type { KernelSource } from "@laconic/engine/kernels";
import { askChild } from "./ask-child.ts";
import type { DeviceSpeed } from "./measure-device.ts";
import type { DeviceOutcome } from "./try-device.ts";

const entry = new URL("../../assets/try-device.mjs", import.meta.url);

/** The same for a device's speed; null where it cannot be measured. A measurement is short, so one that is not is no good. */
export async function measureInChild(source: KernelSource): Promise<DeviceSpeed | null> {
  const outcome = await askChild<DeviceSpeed>(entry, [JSON.stringify(source), "measure"], 30_000);
  return "answer" in outcome ? outcome.answer : null;
}

/** A driver that hangs is no driver; the first start of CUDA reads gigabytes. */
const patienceMs = 120_000;

/**
 * Starts a device in a process of its own, as `tryDevice` does: a crash of a native library is an outcome.
 * @param remedy - what to do about a library that crashes
 */
export async function probeInChild(
  source: KernelSource,
  remedy: string,
  timeoutMs: number = patienceMs,
): Promise<DeviceOutcome> {
  const outcome = await askChild<DeviceOutcome>(entry, [JSON.stringify(source)], timeoutMs);
  if ("answer" in outcome) return outcome.answer;
  return { works: false, detail: `does not work: ${outcome.failed}; ${remedy}` };
}
