import { LaconicError } from "@laconic/core";
import { fmaFile, fusedFile } from "../fused-file.ts";

/** A binary of the fused kernels. Option: `fused`, its address. @throws LaconicError `config_invalid`, `device_unavailable` */
export async function openBinary(
  fma: boolean,
  options: Readonly<Record<string, unknown>>,
): Promise<Uint8Array<ArrayBuffer>> {
  for (const [key, value] of Object.entries(options))
    if (key !== "fused" || typeof value !== "string")
      throw new LaconicError("config_invalid", `the wasm kernels take fma and the address fused, got "${key}"`, {
        key,
      });
  const { fused = (fma ? fmaFile : fusedFile).href } = options as { readonly fused?: string };
  const reply = await fetch(fused).catch((error: unknown) => error as Error);
  if (reply instanceof Error || !reply.ok)
    throw new LaconicError(
      "device_unavailable",
      `the fused kernels cannot be loaded from ${fused}: ${reply instanceof Error ? reply.message : `HTTP ${reply.status}`}`,
      { url: fused },
    );
  return new Uint8Array(await reply.arrayBuffer());
}
