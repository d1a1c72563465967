/**
 * Tokenizers and chat templates of Hugging Face checkpoints.
 * @module @laconic/hub/tokenizers
 */
export { loadTokenizer, tokenizerOf } from "./load-tokenizer.ts";
export { incrementalDecoder } from "@laconic/core/backends";
export type { IncrementalDecoder } from "@laconic/core/backends";
export type { ChatSettings, LoadSettings } from "./load-tokenizer.ts";
export { llama2cTokenizer } from "./llama2c-tokenizer.ts";
export { readTokenizerFiles } from "./tokenizer-files.ts";
export type { TokenizerFiles } from "./tokenizer-files.ts";
