import { LaconicError, thrownText, type ChatTokenizer } from "@laconic/core";
import { joinPath } from "@laconic/core/files";
import { openGuardedEncoder, readTextFile } from "#platform";
import { promptEncoder, type PromptEncoder } from "./prompt-encoder.ts";
import { specialTokens } from "./special-tokens.ts";
import { tokenDecoder } from "./token-decoder.ts";
import { readTokenizerFiles, type TokenizerFiles } from "./tokenizer-files.ts";

/** How a model's chats are written. */
export interface ChatSettings {
  /**
   * Further variables of the chat template, as keywords of transformers' `apply_chat_template`: `enable_thinking`, `tools`,
   * `date_string`, ... A template that does not know one ignores it.
   */
  readonly templateArguments?: Readonly<Record<string, unknown>>;
}

/** Settings of loading. */
export interface LoadSettings extends ChatSettings {
  /** Deadline of the checkpoint's patterns and template, per text or chat; plus 1 s per 100,000 characters. Default 10. */
  readonly deadlineSeconds?: number;
  /** Ends the loading. */
  readonly signal?: AbortSignal;
}

/**
 * The tokenizer of a checkpoint folder: `tokenizer.json`, `tokenizer_config.json`, `generation_config.json`, and a chat
 * template where there is one.
 *
 * A text is encoded without control tokens: what spells one in a text stays text. Only the chat template writes them.
 *
 * Patterns and template are the checkpoint's, and may be hostile: they run in a thread of their own with bounded memory,
 * and one that passes the deadline is ended with `model_unsupported`.
 * @throws LaconicError `checkpoint_missing`, `weights_invalid` for a damaged file, `model_unsupported` naming what is not
 * supported, `aborted` by the signal.
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

/** The same from files that are already read. It trusts them: patterns and template run on the calling thread. */
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
    endToken: ends[0] as number,
    endTokens: ends,
    encode: (text) => readingFiles("encode a text", () => encoder.encode(text)),
    encodePrompt: (text) => readingFiles("encode a text", () => encoder.encodePrompt(text)),
    decode: (tokens) => readingFiles("decode tokens", () => decode(tokens)),
    tokenBytes: () => readingFiles("decode tokens", tokenBytes),
    encodeChat: (messages) => readingFiles("encode a chat", () => encoder.encodeChat(messages)),
  };
}

/**
 * Values of a stranger's files may be of any type, and some are met where they are used first.
 * @throws LaconicError `model_unsupported` instead of the error that the values cause
 */
function readingFiles<T>(doing: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    if (LaconicError.is(error)) throw error;
    const reason = thrownText(error);
    throw new LaconicError(
      "model_unsupported",
      `tokenizer.json or tokenizer_config.json holds a value that cannot be used to ${doing}: ${reason}`,
      { file: "tokenizer.json" },
      error,
    );
  }
}
