import { LaconicError } from "../errors.ts";
import type { Tokenizer } from "../tokenizer.ts";

const defaultAlphabet = "abcdefghijklmnopqrstuvwxyz0123456789 +-=?,:";

/**
 * A tokenizer of one token per character: token i is the i-th character of the alphabet, and the end token,
 * which no text spells, comes last.
 *
 * @throws LaconicError `input_invalid` when the alphabet repeats a character.
 */
export function tableTokenizer(alphabet: string = defaultAlphabet): Tokenizer {
  const characters = Array.from(alphabet);
  const ids = new Map(characters.map((character, id) => [character, id]));
  if (ids.size !== characters.length)
    throw new LaconicError("input_invalid", `the alphabet "${alphabet}" repeats a character`, { alphabet });
  const endToken = characters.length;
  return {
    vocabularySize: characters.length + 1,
    endToken,
    encode: (text) =>
      Array.from(text, (character) => {
        const id = ids.get(character);
        if (id === undefined)
          throw new LaconicError("input_invalid", `the alphabet has no "${character}"`, { character });
        return id;
      }),
    decode: (tokens) => tokens.map((token) => spell(token)).join(""),
  };

  function spell(token: number): string {
    if (token === endToken) return "";
    const character = characters[token];
    if (character === undefined)
      throw new LaconicError("input_invalid", `token ${token} is outside the vocabulary of ${endToken + 1}`, { token });
    return character;
  }
}
