import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { nodeFileSystem, sha256Of } from "@laconic/trainer";
import type { TeamTask } from "@laconic/tasks";

/** Weights, their description, and what turns text into tokens; neither an optimiser's state nor a run's. */
const modelFile =
  /^(?:(?:model|adapter_model)[\w.-]*\.safetensors|(?:config|adapter_config|generation_config|tokenizer\w*|special_tokens_map|vocab|added_tokens|model\.safetensors\.index)\.json|merges\.txt|chat_template[\w.-]*)$/u;

/** Vocabularies up to this are compared token by token: those of built-in tokenizers, which have no file. */
const smallVocabulary = 1000;

/**
 * SHA-256 of what a run reads, by name: files of each model, its task's tokenizer, its problems.
 * @param folders - by role: `model`, `bases.NAME`, `actor`
 */
export async function runInputs(
  folders: Readonly<Record<string, string>>,
  task: Pick<TeamTask, "pool" | "heldOut" | "tokenizer">,
): Promise<Record<string, string>> {
  const inputs: Record<string, string> = {};
  for (const [role, folder] of Object.entries(folders))
    for (const file of (await readdir(folder)).filter((name) => modelFile.test(name)).toSorted())
      inputs[`${role}: ${file}`] = (await nodeFileSystem.digest(join(folder, file))).sha256;
  const { tokenizer } = task;
  if (tokenizer.vocabularySize <= smallVocabulary)
    inputs["tokenizer: vocabulary"] = sha256Of(
      Array.from({ length: tokenizer.vocabularySize }, (_, token) => tokenizer.decode([token])),
    );
  if (task.pool) inputs["data: training problems"] = sha256Of(task.pool);
  inputs["data: held-out problems"] = sha256Of(task.heldOut);
  return inputs;
}
