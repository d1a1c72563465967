import { LaconicError } from "@laconic/core";
import type { RunCommand } from "./run-command.ts";

/** Devices whose packages are installed only when asked for. */
export type OptionalDevice = "tensorflow" | "tensorflow-gpu" | "webgpu";

/** Where an optional device is put, and with which Python. */
export interface InstallOptions {
  /** Where each device gets a folder of its own. */
  readonly folder: string;
  /** For `tensorflow` and `tensorflow-gpu`: a Python with pip; one with TensorFlow installed lends it. */
  readonly python: string;
  readonly run: RunCommand;
  /** Ends the program that runs; a folder that was made is removed, one that was there is left as it is. */
  readonly signal?: AbortSignal;
  /** Hears each step before it starts. */
  note(step: string): void;
}

/** @throws LaconicError `device_unavailable` with the last lines of what the program said */
export function expectDone(
  device: OptionalDevice,
  step: string,
  { code, text }: Awaited<ReturnType<RunCommand>>,
): void {
  if (code === 0) return;
  const said = text.trim().split("\n").slice(-6).join("\n");
  throw unavailable(device, `${step} failed${code === null ? " to start" : ` with code ${code}`}:\n${said}`);
}

export function unavailable(device: OptionalDevice, reason: string): LaconicError {
  return new LaconicError("device_unavailable", `${device}: ${reason}`, { device });
}
