import type { ChatMessage } from "./language-model.ts";

/**
 * What each token adds to a text, in UTF-8: token t adds `bytes[offsets[t]] ... bytes[offsets[t + 1] - 1]`. Control tokens
 * add nothing. In shared memory where there is some, so that threads read one copy.
 */
export interface TokenBytes {
  readonly bytes: Uint8Array;
  /** [vocabulary + 1] */
  readonly offsets: Int32Array;
  /** A text's first space is not written when it begins the text, as SentencePiece has it. */
  readonly dropsFirstSpace: boolean;
}

/** Text to token ids and back. Special tokens in a text stay plain text. */
export interface Tokenizer {
  readonly vocabularySize: number;
  /** The token that ends an utterance. */
  readonly endToken: number;
  /** @throws LaconicError `input_invalid` when the vocabulary cannot spell the text. */
  encode(text: string): number[];
  /**
   * A text that a model is to go on from, with what the checkpoint puts around texts, such as its first token (BOS).
   * The same as `encode` when absent.
   */
  encodePrompt?(text: string): number[];
  /** Special tokens are left out. */
  decode(tokens: readonly number[]): string;
  /** Finds stop texts across borders of tokens; each token is decoded alone when absent. */
  tokenBytes?(): TokenBytes;
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
