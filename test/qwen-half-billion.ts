/** Relevant fields of Qwen2.5-0.5B's config.json. */
export const qwenHalfBillion = {
  architectures: ["Qwen2ForCausalLM"],
  model_type: "qwen2",
  vocab_size: 151_936,
  hidden_size: 896,
  intermediate_size: 4864,
  num_hidden_layers: 24,
  num_attention_heads: 14,
  num_key_value_heads: 2,
  max_position_embeddings: 32_768,
  rms_norm_eps: 1e-6,
  rope_theta: 1_000_000,
  tie_word_embeddings: true,
  initializer_range: 0.02,
} as const;

/** Its depth, head layout and tensors with small widths: call counts do not depend on widths. */
export const narrowQwen: Readonly<Record<string, unknown>> = {
  ...qwenHalfBillion,
  vocab_size: 256,
  hidden_size: 128,
  intermediate_size: 64,
  num_attention_heads: 2,
  num_key_value_heads: 1,
  max_position_embeddings: 2048,
};

/** Two layers with grouped heads, for small widths. */
export const smallQwen: Readonly<Record<string, unknown>> & { readonly num_hidden_layers: number } = {
  ...qwenHalfBillion,
  vocab_size: 32,
  num_hidden_layers: 2,
  num_attention_heads: 4,
  num_key_value_heads: 2,
  max_position_embeddings: 128,
};
