import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { relayTokenizer } from "@laconic/tasks";
import { namedTask, taskTitle } from "@laconic/tasks/named";
import { LaconicError } from "@laconic/core";
import { policyFile } from "@laconic/trainer";
import { z } from "zod";
import type { TaskSettings } from "./run-settings.ts";

/** What a policy knows of itself: the task whose prompts it was taught to read. Lies beside its weights. */
export interface PolicyFacts {
  readonly task: string;
}

const factsSchema: z.ZodType<PolicyFacts> = z.object({ task: z.string() });

/** The warm start that a task's policies begin with; null where any language model will do. */
export function policyTask(task: TaskSettings): string | null {
  return namedTask(task).world(task);
}

/**
 * Refuses a model that cannot read a task's prompts: it would answer by chance, and training would teach it silence.
 * @param name - of the model, as the configuration has it
 * @throws LaconicError `config_invalid` naming both
 */
export async function checkPolicyTask(folder: string, name: string, task: TaskSettings): Promise<void> {
  const [wanted, title] = [policyTask(task), taskTitle(task)];
  const refuse = (reason: string): never => {
    throw new LaconicError("config_invalid", `model: ${reason}`, { key: "model", model: name, task: title });
  };
  const remedy = wanted?.startsWith("relay/")
    ? `make one with: laconic relay warm-start --level ${wanted.slice("relay/".length)} --out FOLDER, and set model to FOLDER`
    : "use a language model, such as hub:Qwen/Qwen2.5-0.5B-Instruct";
  const facts = factsSchema.safeParse(await jsonIn(folder, policyFile));
  if (facts.success) {
    if (facts.data.task !== wanted)
      refuse(`"${name}" was taught the prompts of ${facts.data.task} and cannot read those of ${title}; ${remedy}`);
    return;
  }
  const size = (await jsonIn(folder, "config.json"))?.["vocab_size"];
  if (wanted !== null && typeof size === "number" && size !== relayTokenizer.vocabularySize)
    refuse(
      `"${name}" has a vocabulary of ${size}, but ${title} is written in ${relayTokenizer.vocabularySize} characters; ${remedy}`,
    );
}

async function jsonIn(folder: string, file: string): Promise<Readonly<Record<string, unknown>> | null> {
  try {
    return JSON.parse(await readFile(join(folder, file), "utf8")) as Readonly<Record<string, unknown>>;
  } catch {
    return null;
  }
}
