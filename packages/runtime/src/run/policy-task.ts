import { relayTokenizer } from "@laconic/tasks";
import { namedTask, type TaskSettings } from "@laconic/tasks/named";
import { LaconicError } from "@laconic/core";
import { isReference } from "../resolver/reference.ts";
import { jsonIn, taughtTask } from "../models/policy-facts.ts";
import type { RunTask } from "./run-settings.ts";
import { runTaskTitle } from "./run-task.ts";

/** The warm start that a task's policies begin with; null where any language model will do. */
export function policyTask(task: RunTask): string | null {
  if (isReference(task)) return null;
  return namedTask(task as TaskSettings).world?.(task as TaskSettings) ?? null;
}

/**
 * Refuses a model that cannot read a task's prompts: it would answer by chance, and training would teach it silence.
 * @param name - of the model, as the configuration has it
 * @throws LaconicError `config_invalid` naming both
 */
export async function checkPolicyTask(folder: string, name: string, task: RunTask): Promise<void> {
  const [wanted, title] = [policyTask(task), runTaskTitle(task)];
  const refuse = (reason: string): never => {
    throw new LaconicError("config_invalid", `model: ${reason}`, { key: "model", model: name, task: title });
  };
  const remedy = wanted?.startsWith("relay/")
    ? `make one with: laconic relay warm-start --level ${wanted.slice("relay/".length)} --out FOLDER, and set model to FOLDER`
    : "use a language model, such as hub:Qwen/Qwen2.5-0.5B-Instruct";
  if (isReference(task)) return; // who writes a task knows what its prompts are written in
  const taught = await taughtTask(folder);
  if (taught !== null) {
    if (taught !== wanted)
      refuse(`"${name}" was taught the prompts of ${taught} and cannot read those of ${title}; ${remedy}`);
    return;
  }
  const size = (await jsonIn(folder, "config.json"))?.["vocab_size"];
  if (wanted !== null && typeof size === "number" && size !== relayTokenizer.vocabularySize)
    refuse(
      `"${name}" has a vocabulary of ${size}, but ${title} is written in ${relayTokenizer.vocabularySize} characters; ${remedy}`,
    );
}
