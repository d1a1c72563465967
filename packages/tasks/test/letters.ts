import type { Tokenizer } from "@laconic/core";

/** One token per letter. */
export const letters: Tokenizer = {
  vocabularySize: 1 << 16,
  endToken: 0,
  decode: (tokens) => String.fromCodePoint(...tokens),
  encode: (text) => Array.from(text, (letter) => letter.codePointAt(0) ?? 0),
};
