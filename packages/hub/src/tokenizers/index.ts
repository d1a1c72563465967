/**
 * Tokenizers and chat templates of Hugging Face checkpoints.
 * @module @laconic/hub/tokenizers
 */
export { loadTokenizer, tokenizerOf, type ChatSettings, type LoadSettings } from "./load-tokenizer.ts";
export { incrementalDecoder, type IncrementalDecoder } from "@laconic/core/backends";
export { llama2cTokenizer } from "./llama2c-tokenizer.ts";
export { readTokenizerFiles, type TokenizerFiles } from "./tokenizer-files.ts";
export { learnMerges, smallTokenizer, smallVocabulary, type Merges } from "./small-tokenizer.ts";
