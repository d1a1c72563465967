/** Text to token ids and back. Special tokens in a text stay plain text. */
export interface Tokenizer {
  readonly vocabularySize: number;
  /** The token that ends an utterance. */
  readonly endToken: number;
  /** @throws LaconicError `input_invalid` when the vocabulary cannot spell the text. */
  encode(text: string): number[];
  /** Special tokens are left out. */
  decode(tokens: readonly number[]): string;
}
