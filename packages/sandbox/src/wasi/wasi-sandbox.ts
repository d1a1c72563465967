import { LaconicError } from "@laconic/core";
import { checkLimits } from "../check-job.ts";
import type { Sandbox } from "../sandbox.ts";
import { scheduledSandbox, type KindOptions, type SandboxKind } from "../scheduled-sandbox.ts";
import { interpreterFiles, interpreterSha256, interpreterVersion } from "./interpreter.ts";
import { LockedProcess } from "./locked-process.ts";

/**
 * CPython in WebAssembly, inside processes without environment, files, network or children. Processes start at the first
 * run. The self-test is `createSandbox`'s.
 * @throws LaconicError `sandbox_unsafe` when the interpreter is not the known one, `config_invalid` on limits out of range
 */
export function wasiSandbox({ seed = 0, ...options }: KindOptions & { readonly seed?: number | undefined }): Sandbox {
  const { limits } = options;
  checkLimits(limits);
  const { memoryMiB } = limits;
  if (!(memoryMiB >= 32 && memoryMiB <= 3840))
    throw new LaconicError("config_invalid", `memoryMiB is ${memoryMiB}, expected 32 to 3840`, { key: "memoryMiB" });
  interpreterFiles();
  const idle: LockedProcess[] = [];
  const running = new Set<LockedProcess>();
  const kind: SandboxKind = {
    kind: "wasi",
    version: interpreterVersion,
    sha256: interpreterSha256,
    seed,
    async attempt(job, signal) {
      let held = idle.pop();
      while (held && !held.usable) held = idle.pop();
      held ??= new LockedProcess(memoryMiB, seed);
      running.add(held);
      const attempt = await held.run(job, signal);
      running.delete(held);
      if (held.usable) idle.push(held);
      else held.kill();
      return attempt;
    },
    close() {
      for (const each of [...running, ...idle.splice(0)]) each.kill();
    },
  };
  return scheduledSandbox(kind, options);
}
