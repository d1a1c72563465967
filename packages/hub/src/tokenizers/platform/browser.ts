import { LaconicError } from "@laconic/core";
import type { GuardedSetup } from "../guarded-encoder.ts";
import type { PromptEncoder } from "../prompt-encoder.ts";

const instead = "browsers have no folders and no blocking threads; use tokenizerOf(await readTokenizerFiles(read))";

/** @throws LaconicError `config_invalid`: a browser has no folders */
export async function readTextFile(path: string): Promise<string | null> {
  throw new LaconicError("config_invalid", `${path}: ${instead}`, { file: path });
}

/** @throws LaconicError `config_invalid`: a page may not block */
export function openGuardedEncoder({ folder }: GuardedSetup): PromptEncoder {
  throw new LaconicError("config_invalid", `${folder}: ${instead}`, { folder });
}
