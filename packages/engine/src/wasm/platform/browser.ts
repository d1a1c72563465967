import { configError, LaconicError, type UnknownRecord } from "@laconic/core";
import type { HelperSetup } from "../thread-pool.ts";
import { fmaFile, fusedFile } from "../fused.ts";

/** @param options - `fused`, a URL @throws LaconicError `config_invalid`, `device_unavailable` */
export async function openBinary(fma: boolean, options: UnknownRecord): Promise<Uint8Array<ArrayBuffer>> {
  for (const [key, value] of Object.entries(options))
    if (key !== "fused" || typeof value !== "string")
      throw configError(`wasm kernels: expected fma, threads or the URL fused, got "${key}"`, { key });
  const { fused = (fma ? fmaFile : fusedFile).href } = options as { readonly fused?: string };
  const reply = await fetch(fused).catch((error: unknown) => error as Error);
  if (reply instanceof Error || !reply.ok)
    throw new LaconicError(
      "device_unavailable",
      `cannot load the fused kernels from ${fused}: ${reply instanceof Error ? reply.message : `HTTP ${reply.status}`}`,
      { url: fused },
    );
  return new Uint8Array(await reply.arrayBuffer());
}

interface Scope {
  readonly crossOriginIsolated?: boolean;
  readonly WorkerGlobalScope?: unknown;
  readonly navigator: { readonly hardwareConcurrency: number };
}
const scope = globalThis as unknown as Scope;

/** Bundlers find a worker's file by this name. */
declare const Worker: new (
  address: URL,
  options: { readonly type: "module" },
) => { postMessage(message: unknown): void };

/** Usable threads; 0 if memory cannot be shared or this thread may not block. */
export function processors(): number {
  return scope.crossOriginIsolated && scope.WorkerGlobalScope ? scope.navigator.hardwareConcurrency : 0;
}

export function startHelper(setup: HelperSetup): void {
  const worker = new Worker(new URL("../../../assets/helper.mjs", import.meta.url), { type: "module" });
  worker.postMessage(setup);
}
