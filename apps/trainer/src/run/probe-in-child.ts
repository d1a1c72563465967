import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { KernelSource } from "@laconic/kernels";
import type { DeviceOutcome } from "./try-device.ts";

const entry = fileURLToPath(new URL("../../assets/try-device.mjs", import.meta.url));

/** A driver that hangs is no driver; the first start of CUDA reads gigabytes. */
const patienceMs = 120_000;

/**
 * Starts a device in a process of its own, as {@link tryDevice} does: a crash of a native library is an outcome, and never
 * ends the caller.
 */
export function probeInChild(source: KernelSource, timeoutMs: number = patienceMs): Promise<DeviceOutcome> {
  return new Promise((resolve) => {
    // What libraries print is not this command's output.
    const child = fork(entry, [JSON.stringify(source)], { stdio: ["ignore", "ignore", "ignore", "ipc"], execArgv: [] });
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      child.kill("SIGKILL");
    }, timeoutMs);
    const end = (outcome: DeviceOutcome): void => {
      clearTimeout(timer);
      resolve(outcome);
    };
    const fails = (how: string): void => end({ works: false, detail: `does not work: ${how}` });
    child.once("message", (outcome) => end(outcome as DeviceOutcome));
    child.once("error", (error) => fails(error.message));
    child.once("exit", (code, signal) => {
      if (late) fails(`did not answer within ${timeoutMs / 1000} s`);
      else fails(signal === null ? `its process ended with exit code ${code}` : `crashed with ${signal}`);
    });
  });
}
