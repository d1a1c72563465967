import type { TokenBytes, Tokenizer } from "@laconic/core";

const known = new WeakMap<Tokenizer, TokenBytes>();

/** What each token of a vocabulary adds to a text: as the tokenizer says, or as each decodes alone. */
export function tokenBytesOf(tokenizer: Tokenizer): TokenBytes {
  const own = tokenizer.tokenBytes?.();
  if (own) return own;
  const found = known.get(tokenizer) ?? decodeEach(tokenizer);
  known.set(tokenizer, found);
  return found;
}

function decodeEach(tokenizer: Tokenizer): TokenBytes {
  const encoder = new TextEncoder();
  const pieces = Array.from({ length: tokenizer.vocabularySize }, (_, token) =>
    encoder.encode(tokenizer.decode([token])),
  );
  const offsets = new Int32Array(pieces.length + 1);
  pieces.forEach((piece, token) => (offsets[token + 1] = (offsets[token] as number) + piece.length));
  const bytes = new Uint8Array(offsets.at(-1) as number);
  pieces.forEach((piece, token) => bytes.set(piece, offsets[token]));
  return { bytes, offsets, dropsFirstSpace: false };
}
