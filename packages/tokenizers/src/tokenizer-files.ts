import { join } from "node:path";
import { LaconicError } from "@laconic/core";
import { checkVocabulary } from "./check-vocabulary.ts";
import { readTextFile } from "./read-text-file.ts";

type Json = Readonly<Record<string, unknown>>;

/** What a checkpoint folder says about its tokens. */
export interface TokenizerFiles {
  /** `tokenizer.json`. */
  readonly tokenizer: Json;
  /** `tokenizer_config.json`; empty when there is none. */
  readonly config: Json;
  /** `generation_config.json`; empty when there is none. */
  readonly generation: Json;
  /** `chat_template.jinja`, or the template inside `tokenizer_config.json` or `chat_template.json`. */
  readonly chatTemplate: string | null;
}

/** @throws LaconicError `aborted`, `checkpoint_missing` without a tokenizer.json, `weights_invalid` naming a file that is damaged. */
export async function readTokenizerFiles(folder: string, signal?: AbortSignal): Promise<TokenizerFiles> {
  const read = async (name: string): Promise<Json | null> => {
    if (signal?.aborted)
      throw new LaconicError("aborted", `loading the tokenizer of ${folder} was aborted`, { folder });
    return readJson(folder, name);
  };
  const tokenizer = await read("tokenizer.json");
  if (!tokenizer) throw new LaconicError("checkpoint_missing", `${folder} holds no tokenizer.json`, { folder });
  checkVocabulary(tokenizer, join(folder, "tokenizer.json"));
  const config = (await read("tokenizer_config.json")) ?? {};
  const template =
    (await readTextFile(join(folder, "chat_template.jinja"))) ??
    templateIn(config) ??
    templateIn((await read("chat_template.json")) ?? {});
  return {
    tokenizer,
    config,
    generation: (await read("generation_config.json")) ?? {},
    chatTemplate: template,
  };
}

/** One template, or the one called `default` of several. */
function templateIn(json: Json): string | null {
  const template = json["chat_template"];
  if (typeof template === "string") return template;
  if (!Array.isArray(template)) return null;
  const found = (template as readonly { readonly name?: unknown; readonly template?: unknown }[]).find(
    ({ name }) => name === "default",
  );
  return typeof found?.template === "string" ? found.template : null;
}

async function readJson(folder: string, name: string): Promise<Json | null> {
  const text = await readTextFile(join(folder, name));
  if (text === null) return null;
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Json;
  } catch (error) {
    throw new LaconicError(
      "weights_invalid",
      `${join(folder, name)} is not JSON: ${String(error)}`,
      { file: name },
      error,
    );
  }
  throw new LaconicError("weights_invalid", `${join(folder, name)} is not a JSON object`, { file: name });
}
