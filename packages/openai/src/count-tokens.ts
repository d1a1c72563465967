import type { Tiktoken, TiktokenModel } from "tiktoken";

const encoders = new Map<string, Tiktoken | null>();

/**
 * Tokens of a text in the encoding of an OpenAI model.
 * @returns null for a model whose encoding is not known
 */
export async function countTokens(model: string, text: string): Promise<number | null> {
  const encoder = await encoderFor(model);
  return encoder === null ? null : encoder.encode_ordinary(text).length;
}

/** A guess where nothing is known: four characters a token, as for English. */
export function guessTokens(text: string): number {
  return Math.ceil(text.length / 4);
}

async function encoderFor(model: string): Promise<Tiktoken | null> {
  const known = encoders.get(model);
  if (known !== undefined) return known;
  const { encoding_for_model: encodingFor } = await import("tiktoken");
  let encoder: Tiktoken | null = null;
  try {
    encoder = encodingFor(model as TiktokenModel);
  } catch {
    // Not a model of OpenAI's.
  }
  encoders.set(model, encoder);
  return encoder;
}
