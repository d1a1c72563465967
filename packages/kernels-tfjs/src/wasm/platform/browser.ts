import { LaconicError } from "@laconic/core";
import { fusedFile } from "../fused-file.ts";

/** The fused kernels' binary. Option: `fused`, the address of the file. @throws LaconicError `config_invalid`, `device_unavailable` */
export async function openBinary(options: Readonly<Record<string, unknown>>): Promise<Uint8Array<ArrayBuffer>> {
  for (const [key, value] of Object.entries(options))
    if (key !== "fused" || typeof value !== "string")
      throw new LaconicError("config_invalid", `the wasm kernels take the address fused, got "${key}"`, { key });
  const { fused = fusedFile.href } = options as { readonly fused?: string };
  const reply = await fetch(fused).catch((error: unknown) => error as Error);
  if (reply instanceof Error || !reply.ok)
    throw new LaconicError(
      "device_unavailable",
      `the fused kernels cannot be loaded from ${fused}: ${reply instanceof Error ? reply.message : `HTTP ${reply.status}`}`,
      { url: fused },
    );
  return new Uint8Array(await reply.arrayBuffer());
}
