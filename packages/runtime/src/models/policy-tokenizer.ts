import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { relayTokenizer, type TeamTask } from "@laconic/tasks";
import type { ChatTokenizer } from "@laconic/core";
import { boundedJson } from "@laconic/core/json";
import { policyFile } from "@laconic/trainer";
import { z } from "zod";

/** What a model's prompts are written in: the relay's tokens where it was taught them, otherwise those of its folder. */
export async function policyTokenizer(
  folder: string,
  templateArguments: Readonly<Record<string, unknown>>,
): Promise<TeamTask["tokenizer"]> {
  return (await taughtTask(folder))?.startsWith("relay/") ? relayTokenizer : tokenizerIn(folder, templateArguments);
}

/** The tokenizer of a model's folder. Loaded where it is asked for: worlds with tokens of their own need none. */
export async function tokenizerIn(
  folder: string,
  templateArguments: Readonly<Record<string, unknown>>,
): Promise<ChatTokenizer> {
  return (await import("@laconic/hub/tokenizers")).loadTokenizer(folder, { templateArguments });
}

/** What a policy knows of itself: the task whose prompts it was taught to read. Lies beside its weights. */
interface PolicyFacts {
  readonly task: string;
}

const factsSchema: z.ZodType<PolicyFacts> = z.object({ task: z.string() });

/** The task whose prompts a policy was taught; null for any language model. */
export async function taughtTask(folder: string): Promise<string | null> {
  return factsSchema.safeParse(await jsonIn(folder, policyFile)).data?.task ?? null;
}

/** A JSON file of a model folder; null where it is not there. */
export async function jsonIn(folder: string, file: string): Promise<Readonly<Record<string, unknown>> | null> {
  try {
    return boundedJson(await readFile(join(folder, file), "utf8")) as Readonly<Record<string, unknown>>;
  } catch {
    return null;
  }
}
