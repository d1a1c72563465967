import type { Tiktoken, TiktokenModel } from "tiktoken";
import { installedPackage } from "./installed-package.ts";

const encoders = new Map<string, Tiktoken | null>();

/**
 * The encoder takes time by the square of a run without a boundary, 26 s for 100,000 equal letters: such runs are cut, which can only
 * add tokens, and longer texts are not counted.
 */
const [sliceLength, longestText] = [500, 2 ** 18] as const;

/**
 * Tokens of a text in the encoding of an OpenAI model; of a text with long runs of the same kind of character, at most some per cent more.
 * @returns null for a model whose encoding is not known, where the package `tiktoken` is not installed, and for texts of more than 262,144 characters
 */
export async function countTokens(model: string, text: string): Promise<number | null> {
  const encoder = text.length > longestText ? null : await encoderFor(model);
  if (encoder === null) return null;
  let count = 0;
  for (const slice of slicesOf(text)) count += encoder.encode_ordinary(slice).length;
  return count;
}

/** Cuts before a word, where every encoding has a boundary, or where there is none within a slice, anywhere. */
function* slicesOf(text: string): Generator<string> {
  let start = 0;
  while (text.length - start > sliceLength) {
    const slice = text.slice(start, start + sliceLength);
    const boundary = [...slice.matchAll(/(?<=\S) (?=\p{L})/gu)].at(-1)?.index;
    // Not between the halves of a character.
    const end = boundary ?? (/[\uD800-\uDBFF]$/u.test(slice) ? sliceLength - 1 : sliceLength);
    yield text.slice(start, start + end);
    start += end;
  }
  yield text.slice(start);
}

/** A guess where nothing is known: four characters a token, as for English. */
export function guessTokens(text: string): number {
  return Math.ceil(text.length / 4);
}

async function encoderFor(model: string): Promise<Tiktoken | null> {
  const known = encoders.get(model);
  if (known !== undefined) return known;
  const tiktoken = await installedPackage("tiktoken", () => import("tiktoken"));
  let encoder: Tiktoken | null = null;
  try {
    if (tiktoken) encoder = tiktoken.encoding_for_model(model as TiktokenModel);
  } catch {
    // Not a model of OpenAI's.
  }
  encoders.set(model, encoder);
  return encoder;
}
