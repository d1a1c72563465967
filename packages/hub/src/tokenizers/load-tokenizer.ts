import { LaconicError, thrownText, type ChatTokenizer } from "@laconic/core";
import { joinPath } from "@laconic/core/files";
import { openGuardedEncoder, readTextFile } from "#platform";
import { promptEncoder, type PromptEncoder } from "./prompt-encoder.ts";
import { specialTokens } from "./special-tokens.ts";
import { tokenDecoder } from "./token-decoder.ts";
import { readTokenizerFiles, type TokenizerFiles } from "./tokenizer-files.ts";

/** Chat settings of a model. */
export interface ChatSettings {
  /**
   * Keywords of transformers' `apply_chat_template`: `enable_thinking`, `tools`, `date_string`, ... A template
   * ignores unknown ones.
   */
  readonly templateArguments?: Readonly<Record<string, unknown>>;
}

/** Options of `loadTokenizer`. */
export interface LoadSettings extends ChatSettings {
  /** Time limit of patterns and template in seconds, per text or chat, plus 1 s per 100,000 characters. Default 10. */
  readonly deadlineSeconds?: number;
  readonly signal?: AbortSignal;
}

/**
 * Loads the tokenizer of a checkpoint folder: `tokenizer.json`, `tokenizer_config.json`, `generation_config.json`,
 * and a chat template if present. Text that spells a control token stays text; only the chat template writes them.
 * The checkpoint's patterns and template may be hostile, so they run in a thread with limited memory and time.
 * Exceeding a limit throws `model_unsupported`.
 * @throws LaconicError `checkpoint_missing`, `weights_invalid`, `model_unsupported` with the feature, `aborted`
 */
export async function loadTokenizer(
  folder: string,
  { templateArguments = {}, deadlineSeconds = 10, signal }: LoadSettings = {},
): Promise<ChatTokenizer> {
  const files = await readTokenizerFiles(async (name) => {
    if (signal?.aborted)
      throw new LaconicError("aborted", `loading the tokenizer of ${folder} was aborted`, { folder });
    return readTextFile(joinPath(folder, name));
  }, folder);
  readingFiles("read", () => specialTokens(files));
  return tokenizerFrom(files, openGuardedEncoder({ folder, files, templateArguments, deadlineSeconds }));
}

/** The same from trusted files: patterns and template run on the calling thread. */
export function tokenizerOf(files: TokenizerFiles, { templateArguments = {} }: ChatSettings = {}): ChatTokenizer {
  return tokenizerFrom(
    files,
    readingFiles("read", () => promptEncoder(files, templateArguments, () => new Date())),
  );
}

function tokenizerFrom(files: TokenizerFiles, encoder: PromptEncoder): ChatTokenizer {
  const { ends } = readingFiles("read", () => specialTokens(files));
  const { vocabularySize, decode, tokenBytes } = readingFiles("read", () => tokenDecoder(files));
  return {
    vocabularySize,
    endToken: ends[0]!,
    endTokens: ends,
    encode: (text) => readingFiles("encode a text", () => encoder.encode(text)),
    encodePrompt: (text) => readingFiles("encode a text", () => encoder.encodePrompt(text)),
    decode: (tokens) => readingFiles("decode tokens", () => decode(tokens)),
    tokenBytes: () => readingFiles("decode tokens", tokenBytes),
    encodeChat: (messages) => readingFiles("encode a chat", () => encoder.encodeChat(messages)),
  };
}

/** Fields of untrusted files may have any type, and some fail only when used. */
function readingFiles<T>(doing: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    if (LaconicError.is(error)) throw error;
    const reason = thrownText(error);
    throw new LaconicError(
      "model_unsupported",
      `cannot ${doing}: invalid value in tokenizer.json or tokenizer_config.json: ${reason}`,
      { file: "tokenizer.json" },
      error,
    );
  }
}
