import { Tokenizer as HuggingFaceTokenizer } from "@huggingface/tokenizers";
import { LaconicError, type ChatTokenizer } from "@laconic/core";
import { chatRenderer } from "./chat-template.ts";
import { addedTokens, specialTokens } from "./special-tokens.ts";
import { readTokenizerFiles, type TokenizerFiles } from "./tokenizer-files.ts";

/**
 * The tokenizer of a checkpoint folder: `tokenizer.json`, `tokenizer_config.json`, `generation_config.json`, and a chat
 * template where there is one.
 *
 * A text is encoded without control tokens: what spells one in a text stays text. Only the chat template writes them.
 * @throws LaconicError `checkpoint_missing`, `weights_invalid` for a damaged file, `model_unsupported` naming what is not
 * supported.
 */
export async function loadTokenizer(folder: string): Promise<ChatTokenizer> {
  return tokenizerOf(await readTokenizerFiles(folder));
}

/** The same from files that are already read. */
export function tokenizerOf(files: TokenizerFiles): ChatTokenizer {
  const special = specialTokens(files);
  const plain = open({ ...files.tokenizer, added_tokens: addedTokens(files).filter((token) => !token.special) }, files);
  const whole = open(files.tokenizer, files);
  const encode = (text: string): number[] => plain.encode(text, { add_special_tokens: false }).ids;
  const renderChat =
    files.chatTemplate === null ? null : chatRenderer(files.chatTemplate, special.ids.keys(), special.byRole);
  return {
    vocabularySize: largestId(whole) + 1,
    endToken: special.ends[0] as number,
    endTokens: special.ends,
    // A lone surrogate has no bytes; like every UTF-8 encoder, it becomes the replacement character.
    encode: (text) => encode(wellFormed(text)),
    decode: (tokens) =>
      tokens.length === 0
        ? ""
        : whole.decode([...tokens], { skip_special_tokens: true, clean_up_tokenization_spaces: false }),
    encodeChat(messages) {
      if (!renderChat)
        throw new LaconicError("input_invalid", "this checkpoint has no chat template; send a text or token prompt");
      const formed = messages.map(({ role, content }) => ({ role, content: wellFormed(content) }));
      return renderChat(formed).flatMap((piece) =>
        "special" in piece ? [special.ids.get(piece.special) as number] : encode(piece.text),
      );
    },
  };
}

function open(tokenizer: Readonly<Record<string, unknown>>, files: TokenizerFiles): HuggingFaceTokenizer {
  try {
    return new HuggingFaceTokenizer(tokenizer, files.config);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new LaconicError("model_unsupported", `tokenizer.json: ${reason}`, {}, error);
  }
}

function largestId(tokenizer: HuggingFaceTokenizer): number {
  let largest = 0;
  for (const id of tokenizer.get_vocab(true).values()) largest = Math.max(largest, id);
  return largest;
}

function wellFormed(text: string): string {
  return new TextDecoder().decode(new TextEncoder().encode(text));
}
