import type { Tokenizer } from "@laconic/core";

/** Tokens before one that decide how it is written. */
const context = 8;

/** Characters that tell whether a tokenizer is the one that a text was written with. */
const compared = 40;

/**
 * What each token adds to a text. Without a tokenizer, or with one that says something else, a text of as many characters as
 * tokens has one each; else tokens stand by number.
 */
export function tokenTexts(
  ids: readonly number[],
  text: string,
  tokenizer: Pick<Tokenizer, "decode"> | null,
): readonly string[] {
  if (tokenizer?.decode(ids).includes(text.trim().slice(0, compared)))
    return ids.map((_, t) => {
      const from = Math.max(0, t - context);
      const [before, all] = [tokenizer.decode(ids.slice(from, t)), tokenizer.decode(ids.slice(from, t + 1))];
      // Half a character is a mark of its own until its rest comes.
      return all.startsWith(before) ? all.slice(before.length) : all.slice(before.replace(/\uFFFD+$/u, "").length);
    });
  const characters = Array.from(text);
  if (characters.length === ids.length || characters.length === ids.length - 1)
    return ids.map((_, t) => characters[t] ?? "");
  return ids.map((id) => `#${id}`);
}
