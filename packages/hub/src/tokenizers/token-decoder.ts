import { isRecord, type TokenBytes } from "@laconic/core";
import { openTokenizer } from "./prompt-encoder.ts";
import { addedTokens, unsupportedKey } from "./special-tokens.ts";
import { decodersIn, tokenBytes } from "./token-bytes.ts";
import type { TokenizerFiles } from "./tokenizer-files.ts";

export interface TokenDecoder {
  readonly vocabularySize: number;
  decode(tokens: readonly number[]): string;
  tokenBytes(): TokenBytes;
}

/** Runs no patterns of the checkpoint, so it needs no time limit. @throws LaconicError `model_unsupported` */
export function tokenDecoder(files: TokenizerFiles): TokenDecoder {
  const added = addedTokens(files);
  // Not used by known checkpoints.
  if (decodersIn(files.tokenizer["decoder"]).some(({ pattern }) => isRecord(pattern) && "Regex" in pattern))
    throw unsupportedKey("decoder", "tokenizer.json: decoder patterns are not supported");
  const model = (files.tokenizer["model"] ?? {}) as Readonly<Record<string, unknown>>;
  const whole = openTokenizer(
    {
      ...files.tokenizer,
      model: { ...model, ...(Array.isArray(model["merges"]) && { merges: [] }) },
      normalizer: null,
      pre_tokenizer: null,
      post_processor: null,
      added_tokens: added,
    },
    files,
  );
  keepByteOrderMarks((whole.decoder ?? {}) as Decoder);
  const vocabulary = whole.model.vocab as (string | undefined)[];
  const decode = (tokens: readonly number[]): string => {
    // The library writes the unknown token or throws for ids of a padded vocabulary.
    const known = tokens.filter((token) => vocabulary[token] !== undefined);
    if (known.length === 0) return "";
    return whole.decode(known, { skip_special_tokens: true, clean_up_tokenization_spaces: false });
  };
  let bytes: TokenBytes | null = null;
  return {
    vocabularySize: vocabulary.length,
    decode,
    tokenBytes: () => (bytes ??= tokenBytes(vocabulary, added, files.tokenizer["decoder"], decode)),
  };
}

interface Decoder {
  readonly config?: { readonly type?: unknown };
  readonly decoders?: readonly Decoder[];
}

/** The library's byte decoder removes a byte order mark. */
function keepByteOrderMarks(decoder: Decoder): void {
  if (decoder.config?.type === "ByteFallback")
    Object.assign(decoder, { text_decoder: new TextDecoder("utf-8", { ignoreBOM: true }) });
  for (const item of decoder.decoders ?? []) keepByteOrderMarks(item);
}
