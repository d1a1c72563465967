import type { BaseSource, ModelSource } from "@laconic/core";
import { tinyTokenizer } from "./tiny-task.ts";

/** Transformer for the tiny task's tokens. */
export const tinyLlama: BaseSource = {
  kind: "config",
  seed: 4,
  config: {
    model_type: "llama",
    vocab_size: tinyTokenizer.vocabularySize,
    hidden_size: 16,
    intermediate_size: 24,
    num_hidden_layers: 1,
    num_attention_heads: 2,
    num_key_value_heads: 1,
    max_position_embeddings: 32,
    rms_norm_eps: 1e-6,
    tie_word_embeddings: true,
    initializer_range: 0.2,
  },
};

/** Adapter that learns the tiny task in a few steps. */
export const tinyAdapter: ModelSource = {
  kind: "adapter",
  base: tinyLlama,
  lora: { rank: 8, alpha: 16 },
  seed: 3,
};
