import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { boundedJson } from "@laconic/core/json";
import { policyFile } from "@laconic/trainer";
import { z } from "zod";

/** What a policy knows of itself: the task whose prompts it was taught to read. Lies beside its weights. */
export interface PolicyFacts {
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
