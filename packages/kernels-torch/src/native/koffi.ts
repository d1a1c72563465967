import { createRequire } from "node:module";
import { LaconicError, thrownText } from "@laconic/core";
import type Koffi from "koffi";

let loaded: typeof Koffi | null = null;

/**
 * Koffi, which calls native libraries, from its first use on: where its own native part is missing, all other devices still work.
 * @throws LaconicError `device_unavailable` where it does not load
 */
export function koffi(): typeof Koffi {
  try {
    return (loaded ??= createRequire(import.meta.url)("koffi") as typeof Koffi);
  } catch (error) {
    const message = `native libraries cannot be called here: ${thrownText(error)}; take device wasm`;
    throw new LaconicError("device_unavailable", message, {}, error);
  }
}
