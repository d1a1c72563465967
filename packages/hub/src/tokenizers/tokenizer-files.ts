import { isRecord, LaconicError, type UnknownRecord } from "@laconic/core";
import { boundedJson } from "@laconic/core/json";
import { checkVocabulary } from "./check-vocabulary.ts";

/** Tokenizer files of a checkpoint folder. */
export interface TokenizerFiles {
  readonly tokenizer: UnknownRecord;
  /** Empty if missing. */
  readonly config: UnknownRecord;
  /** Empty if missing. */
  readonly generation: UnknownRecord;
  /** `chat_template.jinja`, or the template in `tokenizer_config.json` or `chat_template.json`. */
  readonly chatTemplate: string | null;
}

/** Text of a checkpoint file by name, or null if missing. */
export type ReadText = (name: string) => Promise<string | null>;

/**
 * Reads the tokenizer files of a checkpoint.
 * @param location - name of the checkpoint in messages
 * @throws LaconicError `checkpoint_missing` without a tokenizer.json, `weights_invalid` with the damaged file
 */
export async function readTokenizerFiles(read: ReadText, location: string): Promise<TokenizerFiles> {
  const json = (name: string): Promise<UnknownRecord | null> => readJson(read, name, `${location}/${name}`);
  const tokenizer = await json("tokenizer.json");
  if (!tokenizer)
    throw new LaconicError("checkpoint_missing", `${location}: tokenizer.json not found`, { folder: location });
  checkVocabulary(tokenizer, `${location}/tokenizer.json`);
  const config = (await json("tokenizer_config.json")) ?? {};
  const template =
    (await read("chat_template.jinja")) ?? templateIn(config) ?? templateIn((await json("chat_template.json")) ?? {});
  return { tokenizer, config, generation: (await json("generation_config.json")) ?? {}, chatTemplate: template };
}

/** One template, or the one named `default` of several. */
function templateIn(json: UnknownRecord): string | null {
  const template = json["chat_template"];
  if (typeof template === "string") return template;
  if (!Array.isArray(template)) return null;
  const match = (template as readonly ({ readonly name?: unknown; readonly template?: unknown } | null)[]).find(
    (item) => item?.name === "default",
  );
  return typeof match?.template === "string" ? match.template : null;
}

async function readJson(read: ReadText, name: string, path: string): Promise<UnknownRecord | null> {
  const text = await read(name);
  if (text === null) return null;
  try {
    const value: unknown = boundedJson(text);
    if (isRecord(value)) return value;
  } catch (error) {
    throw new LaconicError("weights_invalid", `${path} is not JSON: ${String(error)}`, { file: name }, error);
  }
  throw new LaconicError("weights_invalid", `${path} is not a JSON object`, { file: name });
}
