/**
 * Tokenizers and chat templates of Hugging Face checkpoints.
 * @module @laconic/tokenizers
 */
export { loadTokenizer, tokenizerOf } from "./load-tokenizer.ts";
export type { ChatSettings, EncodingLimits } from "./load-tokenizer.ts";
export { incrementalDecoder } from "./incremental-decoder.ts";
export type { IncrementalDecoder } from "./incremental-decoder.ts";
export { readTokenizerFiles } from "./tokenizer-files.ts";
export type { ReadText, TokenizerFiles } from "./tokenizer-files.ts";
