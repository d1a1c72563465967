import { isRecord } from "@laconic/core";
import { joinPath, type ModelFiles } from "@laconic/core/files";
import { readJsonFile } from "./model-folder.ts";

/**
 * One more than the largest token id in a folder's `tokenizer.json`: the rows of a padded vocabulary begin there.
 * @returns null without a readable file; who opens the tokenizer says what is wrong with it
 */
export async function tokenCountOf(files: ModelFiles, folder: string): Promise<number | null> {
  const path = joinPath(folder, "tokenizer.json");
  if (!(await files.exists(path))) return null;
  const tokenizer = await readJsonFile(path, files).catch(() => null);
  const model = tokenizer?.["model"];
  if (!isRecord(model)) return null;
  const { vocab } = model;
  const added: readonly unknown[] = Array.isArray(tokenizer?.["added_tokens"]) ? tokenizer["added_tokens"] : [];
  const ids = [
    ...(isRecord(vocab) ? Object.values(vocab) : Array.isArray(vocab) ? Array.from(vocab.keys()) : []),
    ...added.map((token) => (isRecord(token) ? token["id"] : null)),
  ];
  return ids.reduce<number>((count, id) => (typeof id === "number" && id >= count ? id + 1 : count), 0) || null;
}
