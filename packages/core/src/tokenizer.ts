import type { ChatMessage } from "./language-model.ts";

/**
 * Text of each token in UTF-8: `bytes[offsets[t]] ... bytes[offsets[t + 1] - 1]`, empty for control tokens. In shared memory
 * where available, so that threads read one copy.
 */
export interface TokenBytes {
  readonly bytes: Uint8Array;
  /** [vocabulary + 1] */
  readonly offsets: Int32Array;
  /** The first space of a text is dropped (SentencePiece). */
  readonly dropsFirstSpace: boolean;
}

/** Text to token ids and back. Special tokens in a text stay plain text. */
export interface Tokenizer {
  readonly vocabularySize: number;
  /** The token that ends an utterance. */
  readonly endToken: number;
  /** @throws LaconicError `input_invalid` when the vocabulary cannot spell the text. */
  encode(text: string): number[];
  /** Encodes a prompt with the checkpoint's special tokens, such as BOS; `encode` by default. */
  encodePrompt?(text: string): number[];
  /** Special tokens are left out. */
  decode(tokens: readonly number[]): string;
  /** To find stop texts across token borders; without it each token is decoded alone. */
  tokenBytes?(): TokenBytes;
}

/** A tokenizer with a chat template. */
export interface ChatTokenizer extends Tokenizer {
  /** All tokens that end an utterance. */
  readonly endTokens: readonly number[];
  /**
   * Prompt of a chat. Special tokens in messages stay plain text.
   * @throws LaconicError `input_invalid` if the chat template refuses the messages
   */
  encodeChat(messages: readonly ChatMessage[]): number[];
}
