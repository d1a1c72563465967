import type { UnknownRecord } from "@laconic/core";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { relayTokenizer, type TeamTask } from "@laconic/tasks";
import { boundedJson } from "@laconic/core/json";
import { policyFile } from "@laconic/trainer";
import { z } from "zod";

/** The relay's tokenizer if the model was taught it, otherwise its folder's. */
export async function policyTokenizer(
  folder: string,
  templateArguments: UnknownRecord,
): Promise<TeamTask["tokenizer"]> {
  if ((await taughtTask(folder))?.startsWith("relay/")) return relayTokenizer;
  // Loaded on demand, because some worlds have their own tokens.
  return (await import("@laconic/hub/tokenizers")).loadTokenizer(folder, { templateArguments });
}

const factsSchema = z.object({ task: z.string() });

/** Task whose prompts a policy was taught; null for a language model. */
export async function taughtTask(folder: string): Promise<string | null> {
  return factsSchema.safeParse(await jsonIn(folder, policyFile)).data?.task ?? null;
}

/** JSON file of a folder; null if missing or invalid. */
export async function jsonIn(folder: string, file: string): Promise<UnknownRecord | null> {
  try {
    return boundedJson(await readFile(join(folder, file), "utf8")) as UnknownRecord;
  } catch {
    return null;
  }
}
