import { inputError } from "../errors.ts";
import type { Tokenizer } from "../tokenizer.ts";

const defaultAlphabet = "abcdefghijklmnopqrstuvwxyz0123456789 +-=?,:";

/**
 * Creates a tokenizer with one token per character of the alphabet, in order. The last token ends an utterance; no text
 * contains it.
 * @throws LaconicError `input_invalid` for a repeated character
 */
export function tableTokenizer(alphabet: string = defaultAlphabet): Tokenizer {
  const characters = Array.from(alphabet);
  const ids = new Map(characters.map((character, id) => [character, id]));
  if (ids.size !== characters.length) throw inputError(`the alphabet "${alphabet}" repeats a character`, { alphabet });
  const endToken = characters.length;
  return {
    vocabularySize: characters.length + 1,
    endToken,
    encode: (text) =>
      Array.from(text, (character) => {
        const id = ids.get(character);
        if (id === undefined) throw inputError(`the alphabet has no "${character}"`, { character });
        return id;
      }),
    decode: (tokens) => tokens.map((token) => spell(token)).join(""),
  };

  function spell(token: number): string {
    if (token === endToken) return "";
    const character = characters[token];
    if (character === undefined)
      throw inputError(`token ${token} is outside the vocabulary of ${endToken + 1}`, { token });
    return character;
  }
}
