import { readFile } from "node:fs/promises";
import { LaconicError } from "@laconic/core";
import { fusedFile } from "../fused-file.ts";

/** The fused kernels' binary. @throws LaconicError `config_invalid` on any option: there are none. */
export async function openBinary(options: Readonly<Record<string, unknown>>): Promise<Uint8Array<ArrayBuffer>> {
  const [unknown] = Object.keys(options);
  if (unknown !== undefined)
    throw new LaconicError("config_invalid", `the wasm kernels take no options, got "${unknown}"`, { key: unknown });
  return readFile(fusedFile);
}
