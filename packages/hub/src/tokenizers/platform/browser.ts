import { configError } from "@laconic/core";
import type { GuardedSetup } from "../guarded-encoder.ts";
import type { PromptEncoder } from "../prompt-encoder.ts";

const instead = "browsers have no folders and no blocking threads; use tokenizerOf(await readTokenizerFiles(read))";

/** @throws LaconicError `config_invalid`: a browser has no folders */
export async function readTextFile(path: string): Promise<string | null> {
  throw configError(`${path}: ${instead}`, { file: path });
}

/** @throws LaconicError `config_invalid`: a page may not block */
export function openGuardedEncoder({ folder }: GuardedSetup): PromptEncoder {
  throw configError(`${folder}: ${instead}`, { folder });
}
