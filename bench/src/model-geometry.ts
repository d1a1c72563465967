/** Sizes of a random model. */
export interface Geometry {
  readonly hidden: number;
  readonly layers: number;
  readonly heads: number;
  readonly kvHeads: number;
  readonly feedForward: number;
  readonly vocabulary: number;
  /** Max sequence length. Default 256. */
  readonly positions?: number;
  /** Base of the rotary angles. Default 10,000. */
  readonly ropeTheta?: number;
}

/** Hugging Face's config.json of a Qwen2 with a tied head. */
export function qwen2Config(size: Geometry): Record<string, unknown> {
  return {
    architectures: ["Qwen2ForCausalLM"],
    model_type: "qwen2",
    vocab_size: size.vocabulary,
    hidden_size: size.hidden,
    intermediate_size: size.feedForward,
    num_hidden_layers: size.layers,
    num_attention_heads: size.heads,
    num_key_value_heads: size.kvHeads,
    max_position_embeddings: size.positions ?? 256,
    rms_norm_eps: 1e-6,
    rope_theta: size.ropeTheta ?? 10_000,
    tie_word_embeddings: true,
    initializer_range: 0.02,
  };
}
