import { inputError, refuseSetting } from "@laconic/core";
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
  if (modelFolder === null) refuseSetting("model", "this task needs a checkpoint with a tokenizer");
  return loadTokenizer(modelFolder, { templateArguments });
}

function atServer(): never {
  throw inputError("the tokenizer is the server's: this task was opened for models behind one");
}
