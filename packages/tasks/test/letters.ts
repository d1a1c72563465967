import type { Tokenizer } from "@laconic/core";

/** A token a letter. */
export const letters: Tokenizer = {
  vocabularySize: 1 << 16,
  endToken: 0,
  decode: (tokens) => String.fromCodePoint(...tokens),
  encode: (text) => Array.from(text, (letter) => letter.codePointAt(0) ?? 0),
};
