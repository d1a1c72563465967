import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { makeFolderOnce } from "@laconic/core/platform";
import { LaconicError } from "@laconic/core";
import { nodeFileSystem } from "@laconic/trainer";

/**
 * A folder that holds a checkpoint of llama2.c as one in Hugging Face's layout: weights and tokenizer converted once, under a name
 * made of their contents. Any other folder stays as it is.
 * @param into - folder of all conversions
 * @param file - the checkpoint, where the folder has several
 * @throws LaconicError `checkpoint_missing` where the tokenizer is missing or the checkpoint is not clear, `weights_invalid` and
 * `model_unsupported` for what cannot be read
 */
export async function convertedFolder(
  folder: string,
  into: string,
  note: (text: string) => void,
  file?: string,
): Promise<string> {
  if (file === undefined && existsSync(join(folder, "config.json"))) return folder;
  const bins = (await readdir(folder)).filter((name) => name.endsWith(".bin") && !name.startsWith("pytorch_model"));
  const isTokenizer = (name: string): boolean => /^tok(?:enizer|\d+)\.bin$/.test(name);
  const weights = file === undefined ? bins.filter((name) => !isTokenizer(name)) : [basename(file)];
  // Left to whoever reads folders, and says what they lack.
  if (weights.length === 0) return folder;
  if (weights.length > 1)
    throw new LaconicError(
      "checkpoint_missing",
      `${folder} holds ${weights.length} checkpoints of llama2.c: ${weights.join(", ")}; name one of them`,
      { folder },
    );
  const [tokenizer, ...others] = bins.filter(isTokenizer);
  if (tokenizer === undefined || others.length > 0)
    throw new LaconicError(
      "checkpoint_missing",
      tokenizer === undefined
        ? `${folder} holds no tokenizer beside ${weights.join()}; put the model's tokenizer.bin there`
        : `${folder} holds several tokenizers: ${[tokenizer, ...others].join(", ")}; keep the model's`,
      { folder },
    );
  const [from, words] = [join(folder, weights[0] as string), join(folder, tokenizer)];
  const digests = await Promise.all([from, words].map(async (path) => (await nodeFileSystem.digest(path)).sha256));
  const target = join(into, createHash("sha256").update(digests.join(" ")).digest("hex").slice(0, 16));
  if (existsSync(target)) return target;
  await makeFolderOnce(target, (draft) => write(from, words, draft));
  note(`${basename(from)} (llama2.c, sha256 ${digests[0]?.slice(0, 12)}) is read as ${target}`);
  return target;
}

async function write(from: string, words: string, folder: string): Promise<void> {
  const [{ convertLlama2c }, { llama2cTokenizer }] = await Promise.all([
    import("@laconic/engine"),
    import("@laconic/hub/tokenizers"),
  ]);
  const { vocab_size: size } = await convertLlama2c(from, folder);
  const { tokenizer, config, generation, chatTemplate } = llama2cTokenizer(await readFile(words), Number(size), words);
  const json = { "tokenizer.json": tokenizer, "generation_config.json": generation };
  for (const [name, value] of Object.entries(json)) await writeFile(join(folder, name), JSON.stringify(value));
  await writeFile(join(folder, "tokenizer_config.json"), JSON.stringify({ ...config, chat_template: chatTemplate }));
}
