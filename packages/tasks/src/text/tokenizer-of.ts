import { LaconicError } from "@laconic/core";
import { loadTokenizer } from "@laconic/tokenizers";
import type { TaskResources } from "../task.ts";

/** @throws LaconicError `config_invalid` where the model has no chat template */
export async function tokenizerOf({ modelFolder, templateArguments }: TaskResources): ReturnType<typeof loadTokenizer> {
  if (modelFolder === null)
    throw new LaconicError("config_invalid", "model: this task needs a checkpoint with a tokenizer", { key: "model" });
  return loadTokenizer(modelFolder, { templateArguments });
}
