import { readFile } from "node:fs/promises";
import { LaconicError } from "@laconic/core";
import { fmaFile, fusedFile } from "../fused-file.ts";

/** A binary of the fused kernels. @throws LaconicError `config_invalid` on an option: all that Node knows is `fma`. */
export async function openBinary(
  fma: boolean,
  options: Readonly<Record<string, unknown>>,
): Promise<Uint8Array<ArrayBuffer>> {
  const [unknown] = Object.keys(options);
  if (unknown !== undefined)
    throw new LaconicError("config_invalid", `the wasm kernels take no option but fma, got "${unknown}"`, {
      key: unknown,
    });
  return readFile(fma ? fmaFile : fusedFile);
}
