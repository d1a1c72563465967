import { readFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { configError, type UnknownRecord } from "@laconic/core";
import type { HelperSetup } from "../thread-pool.ts";
import { fmaFile, fusedFile } from "../fused.ts";

/** @throws LaconicError `config_invalid` */
export async function openBinary(fma: boolean, options: UnknownRecord): Promise<Uint8Array<ArrayBuffer>> {
  const [unknown] = Object.keys(options);
  if (unknown !== undefined)
    throw configError(`wasm kernels: expected fma or threads, got "${unknown}"`, { key: unknown });
  return readFile(fma ? fmaFile : fusedFile);
}

export function processors(): number {
  return availableParallelism();
}

export function startHelper(setup: HelperSetup): void {
  const worker = new Worker(new URL("../../../assets/helper.mjs", import.meta.url), {
    workerData: setup,
    execArgv: [],
  });
  worker.unref();
  // Failures are on the board, and missing helpers are not needed.
  worker.on("error", () => undefined);
}
