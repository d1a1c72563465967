import { LaconicError } from "@laconic/core";
import { loadTokenizer } from "@laconic/hub/tokenizers";
import type { TeamTask } from "../task.ts";
import type { TaskResources } from "../task-resources.ts";

/** @throws LaconicError `config_invalid` without a chat template */
export async function tokenizerOf({
  modelFolder,
  templateArguments,
  remote = false,
}: TaskResources): Promise<TeamTask["tokenizer"]> {
  if (remote) return { vocabularySize: 0, endToken: 0, encode: atServer, decode: atServer };
  if (modelFolder === null)
    throw new LaconicError("config_invalid", "model: this task needs a checkpoint with a tokenizer", { key: "model" });
  return loadTokenizer(modelFolder, { templateArguments });
}

function atServer(): never {
  throw new LaconicError("input_invalid", "the tokenizer is the server's: this task was opened for models behind one");
}
