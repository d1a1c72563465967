import { LaconicError } from "@laconic/core";
import { expectNotAborted } from "@laconic/core/async";
import { optionCheck } from "@laconic/core/checks";
import { bubblewrapSandbox } from "./bubblewrap/bubblewrap-sandbox.ts";
import type { Sandbox, SandboxLimits } from "./sandbox.ts";
import { selfTest } from "./self-test.ts";
import { wasiSandbox } from "./wasi/wasi-sandbox.ts";

/** Kind and limits of a sandbox. */
export interface SandboxOptions {
  /** Default `wasi`. */
  readonly kind?: "wasi" | "bubblewrap";
  /** Default: 3 s, 256 MiB, 1 MiB of output, 4 MiB of input. */
  readonly limits?: Partial<SandboxLimits>;
  /** Max programs at a time. Default: number of cores minus one, at least one. */
  readonly concurrency?: number;
  /** Seed of hashes and random numbers; `wasi` only. Default 0. */
  readonly seed?: number;
  /** Python of `bubblewrap`. Default `python3`. */
  readonly python?: string;
  /** Aborts the opening and closes what was opened. */
  readonly signal?: AbortSignal;
}

const checkOptions = optionCheck<SandboxOptions>()("createSandbox", "kind limits concurrency seed python signal");

const checkLimits = optionCheck<Partial<SandboxLimits>>()("limits", "seconds memoryMiB outputBytes inputBytes");

/** Default limits. */
export const defaultLimits: SandboxLimits = {
  seconds: 3,
  memoryMiB: 256,
  outputBytes: 1 << 20,
  inputBytes: 4 << 20,
};

/**
 * Opens a sandbox and runs escape attempts; closes it if one succeeds.
 * @throws LaconicError `sandbox_unsafe`, `device_unavailable`, `aborted`
 */
export async function createSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  checkOptions(options);
  const { kind = "wasi", limits = {} } = options;
  checkLimits(limits);
  const { concurrency, seed, python, signal } = options;
  expectNotAborted(signal, opening);
  const shared = { limits: { ...defaultLimits, ...limits }, concurrency };
  const sandbox = kind === "wasi" ? wasiSandbox({ ...shared, seed }) : bubblewrapSandbox({ ...shared, python });
  try {
    const escaped = (await selfTest(sandbox, signal)).join("; ");
    if (escaped === "") return sandbox;
    throw new LaconicError("sandbox_unsafe", `the ${kind} sandbox let through: ${escaped}`, { kind, escaped });
  } catch (error) {
    await sandbox.close();
    expectNotAborted(signal, opening);
    throw error;
  }
}

const opening = "opening a sandbox";
