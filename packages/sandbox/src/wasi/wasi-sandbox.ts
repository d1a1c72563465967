import { availableParallelism } from "node:os";
import { LaconicError } from "@laconic/core";
import { checkJob, checkLimits } from "../check-job.ts";
import type { Sandbox, SandboxLimits } from "../sandbox.ts";
import { settle, type Attempt } from "../settle.ts";
import { Turns } from "../turns.ts";
import { interpreterFiles, interpreterSha256, interpreterVersion } from "./interpreter.ts";
import { LockedProcess } from "./locked-process.ts";

export interface WasiOptions {
  readonly limits: SandboxLimits;
  /** Programs at a time. Default: one fewer than cores, at least one. */
  readonly concurrency?: number;
  /** Decides hashes and random numbers of every run. Default 0. */
  readonly seed?: number;
}

/**
 * CPython in WebAssembly, inside processes without environment, files, network or children. Processes start at the first
 * run. The self-test is `createSandbox`'s.
 * @throws LaconicError `sandbox_unsafe` when the interpreter is not the known one, `config_invalid` on limits out of range
 */
export function wasiSandbox({
  limits,
  concurrency = Math.max(1, availableParallelism() - 1),
  seed = 0,
}: WasiOptions): Sandbox {
  checkLimits(limits);
  if (!(limits.memoryMiB >= 32 && limits.memoryMiB <= 3840))
    throw new LaconicError("config_invalid", `memoryMiB is ${limits.memoryMiB}, expected 32 to 3840`, {
      key: "memoryMiB",
    });
  interpreterFiles();
  const turns = new Turns(concurrency);
  const idle: LockedProcess[] = [];
  const all = new Set<LockedProcess>();
  const open = (): LockedProcess => {
    const started = new LockedProcess({ memoryMiB: limits.memoryMiB, seed });
    all.add(started);
    return started;
  };
  return {
    record: { kind: "wasi", version: interpreterVersion, sha256: interpreterSha256, limits, network: "none", seed },
    concurrency,
    run: async (job) => {
      const checked = checkJob(job, limits);
      const attempt = async (): Promise<Attempt> => {
        let held = idle.pop();
        if (held && !held.usable) {
          all.delete(held);
          held = undefined;
        }
        held ??= open();
        const ended = await held.run(checked, job.signal);
        if (held.usable) idle.push(held);
        else {
          held.kill();
          all.delete(held);
        }
        return ended;
      };
      return settle(turns, attempt, job.signal);
    },
    close: async () => {
      turns.close();
      for (const each of all) each.kill();
      all.clear();
      idle.length = 0;
    },
  };
}
