import type { ChatMessage } from "./language-model.ts";

/**
 * UTF-8 text of each token: `bytes[offsets[t]] ... bytes[offsets[t + 1] - 1]`, empty for control tokens. Threads share
 * the memory if possible.
 */
export interface TokenBytes {
  readonly bytes: Uint8Array;
  /** [vocabulary + 1] */
  readonly offsets: Int32Array;
  /** Whether the first space of a text is dropped (SentencePiece). */
  readonly dropsFirstSpace: boolean;
}

/** Converts text to token ids and back. Special tokens in a text stay plain text. */
export interface Tokenizer {
  readonly vocabularySize: number;
  /** Token that ends an utterance. */
  readonly endToken: number;
  /** @throws LaconicError `input_invalid` if the vocabulary cannot encode the text */
  encode(text: string): number[];
  /** Encodes a prompt with the checkpoint's special tokens, such as BOS. Default: `encode`. */
  encodePrompt?(text: string): number[];
  /** Omits special tokens. */
  decode(tokens: readonly number[]): string;
  /** Finds stop texts across token borders; without it each token is decoded alone. */
  tokenBytes?(): TokenBytes;
}

/** Tokenizer with a chat template. */
export interface ChatTokenizer extends Tokenizer {
  /** All tokens that end an utterance. */
  readonly endTokens: readonly number[];
  /**
   * Encodes a chat. Special tokens in messages stay plain text.
   * @throws LaconicError `input_invalid` if the chat template refuses the messages
   */
  encodeChat(messages: readonly ChatMessage[]): number[];
}
