import type { ChatMessage } from "./language-model.ts";

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

/** A tokenizer that knows how its model was taught to take turns. */
export interface ChatTokenizer extends Tokenizer {
  /** All tokens that end an utterance. */
  readonly endTokens: readonly number[];
  /**
   * The prompt after which the model speaks next. Special tokens in a message stay plain text.
   * @throws LaconicError `input_invalid` when the chat template refuses the messages.
   */
  encodeChat(messages: readonly ChatMessage[]): number[];
}
