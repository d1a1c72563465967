import { formatCount } from "@laconic/core/text";
import { LaconicError } from "@laconic/core";
import { joinPath } from "@laconic/core/files";
import { convertLlama2c } from "@laconic/engine";
import { llama2cTokenizer } from "@laconic/hub/tokenizers";
import { storyModel, type ModelFile } from "@laconic/tasks/story-model";
import { keptFolder, type KeptFiles } from "./kept-files.ts";

/** Folder of the downloaded, converted story model. */
export const storyModelFolder: string = joinPath(keptFolder, "model");

/** Files of the model folder, all named in run manifests. */
export const storyModelFiles: readonly string[] = [
  "config.json",
  "generation_config.json",
  "model.safetensors",
  "tokenizer.json",
  "tokenizer_config.json",
];

/**
 * Finds the model among files by checksum, whatever their names, and stores it as a Hugging Face folder, converted as
 * by the command line.
 * @throws LaconicError `weights_invalid` naming the missing file and its checksum
 */
export async function keepStoryModel(files: KeptFiles, given: readonly Uint8Array[]): Promise<void> {
  const place = "/given";
  for (const [i, data] of given.entries()) await files.write(joinPath(place, String(i)), data);
  const find = async ({ name, bytes, sha256 }: ModelFile): Promise<string> => {
    for (const [i, data] of given.entries()) {
      const path = joinPath(place, String(i));
      if (data.length === bytes && (await files.digest(path)).sha256 === sha256) return path;
    }
    throw new LaconicError(
      "weights_invalid",
      `${name} of the story model is not there: none of the ${given.length} files has its ${formatCount(bytes)} bytes and the SHA-256 ${sha256.slice(0, 12)}…`,
      { file: name },
    );
  };
  const [checkpoint, tokens] = [await find(storyModel.checkpoint), await find(storyModel.tokenizer)];
  const draft = "/converted";
  const { vocab_size: size } = await convertLlama2c(checkpoint, draft, files);
  const { tokenizer, config, generation, chatTemplate } = llama2cTokenizer(await files.read(tokens), Number(size));
  await files.write(joinPath(draft, "tokenizer.json"), JSON.stringify(tokenizer));
  await files.write(joinPath(draft, "generation_config.json"), JSON.stringify(generation));
  await files.write(
    joinPath(draft, "tokenizer_config.json"),
    JSON.stringify({ ...config, chat_template: chatTemplate }),
  );
  await files.remove(storyModelFolder);
  await files.rename(draft, storyModelFolder);
  await files.remove(place);
}
