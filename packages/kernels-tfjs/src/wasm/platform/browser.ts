import { LaconicError } from "@laconic/core";
import { setWasmPath } from "@tensorflow/tfjs-backend-wasm";
import { env } from "@tensorflow/tfjs-core";
import { fusedFile } from "../fused-file.ts";

/** TensorFlow.js's own. In this form bundlers find the file and ship it. */
const simdFile = new URL("@tensorflow/tfjs-backend-wasm/dist/tfjs-backend-wasm-simd.wasm", import.meta.url);

/** The fused kernels' binary. Options: `fused` and `binary`, addresses of the two files. @throws LaconicError `config_invalid`, `device_unavailable` */
export async function openBinaries(options: Readonly<Record<string, unknown>>): Promise<Uint8Array<ArrayBuffer>> {
  for (const [key, value] of Object.entries(options))
    if ((key !== "fused" && key !== "binary") || typeof value !== "string")
      throw new LaconicError("config_invalid", `the wasm kernels take the addresses fused and binary, got "${key}"`, {
        key,
      });
  const { binary = simdFile.href, fused = fusedFile.href } = options as {
    readonly binary?: string;
    readonly fused?: string;
  };
  // In a page with shared memory it would choose a binary with threads of its own, which hides its memory.
  env().set("WASM_HAS_MULTITHREAD_SUPPORT", false);
  setWasmPath(binary);
  const reply = await fetch(fused).catch((error: unknown) => error as Error);
  if (reply instanceof Error || !reply.ok)
    throw new LaconicError(
      "device_unavailable",
      `the fused kernels cannot be loaded from ${fused}: ${reply instanceof Error ? reply.message : `HTTP ${reply.status}`}`,
      { url: fused },
    );
  return new Uint8Array(await reply.arrayBuffer());
}

export async function quietly<T>(start: () => Promise<T>): Promise<T> {
  return start();
}
