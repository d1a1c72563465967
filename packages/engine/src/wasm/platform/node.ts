import { readFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { LaconicError } from "@laconic/core";
import type { HelperSetup } from "../thread-pool.ts";
import { fmaFile, fusedFile } from "../fused.ts";

/** A binary of the fused kernels. @throws LaconicError `config_invalid` on an option: all that Node knows is `fma`, beside `threads`. */
export async function openBinary(
  fma: boolean,
  options: Readonly<Record<string, unknown>>,
): Promise<Uint8Array<ArrayBuffer>> {
  const [unknown] = Object.keys(options);
  if (unknown !== undefined)
    throw new LaconicError("config_invalid", `the wasm kernels take no option but fma and threads, got "${unknown}"`, {
      key: unknown,
    });
  return readFile(fma ? fmaFile : fusedFile);
}

/** How many threads may compute at once. */
export function processors(): number {
  return availableParallelism();
}

/** Starts a helper thread. */
export function startHelper(setup: HelperSetup): void {
  const worker = new Worker(new URL("../../../assets/helper.mjs", import.meta.url), {
    workerData: setup,
    execArgv: [],
  });
  worker.unref();
  // What fails in a function is on the board, and one that does not start is not waited for.
  worker.on("error", () => undefined);
}
