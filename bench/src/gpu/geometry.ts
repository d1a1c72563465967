/** Random Qwen2 and the sizes of its measurements. */
export interface GpuJob {
  readonly config: Readonly<Record<string, unknown>>;
  readonly update: { readonly sequences: number; readonly tokens: number };
  /** Rows, tokens of a prompt and of a reply. */
  readonly decode: { readonly rows: readonly number[]; readonly prompt: number; readonly tokens: number };
  readonly parity: { readonly sequences: number; readonly tokens: number };
}

const shared = {
  architectures: ["Qwen2ForCausalLM"],
  model_type: "qwen2",
  num_key_value_heads: 2,
  max_position_embeddings: 4096,
  rms_norm_eps: 1e-6,
  rope_theta: 1_000_000,
  tie_word_embeddings: true,
  initializer_range: 0.02,
};

/** Shape of Qwen2.5-0.5B. */
export const halfBillion: GpuJob = {
  config: {
    ...shared,
    vocab_size: 151_936,
    hidden_size: 896,
    intermediate_size: 4864,
    num_hidden_layers: 24,
    num_attention_heads: 14,
  },
  update: { sequences: 16, tokens: 1024 },
  decode: { rows: [64, 256], prompt: 64, tokens: 128 },
  parity: { sequences: 4, tokens: 300 },
};

/** Sizes without a GPU. */
export const small: GpuJob = {
  config: {
    ...shared,
    vocab_size: 512,
    hidden_size: 64,
    intermediate_size: 192,
    num_hidden_layers: 2,
    num_attention_heads: 4,
  },
  update: { sequences: 4, tokens: 64 },
  decode: { rows: [4], prompt: 16, tokens: 16 },
  parity: { sequences: 4, tokens: 30 },
};

/** Reproducible by a peer, [sequences][tokens]. */
export function parityTokens({ config, parity }: GpuJob): number[][] {
  return Array.from({ length: parity.sequences }, (_, s) =>
    Array.from({ length: parity.tokens }, (__, t) => (131 * s + 7919 * t + 17) % Number(config["vocab_size"])),
  );
}
