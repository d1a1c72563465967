import { randomFromSeed, type UnknownRecord } from "@laconic/core";
import { sizeOf } from "../kernels/index.ts";
import type { ModelConfig } from "../transformer/model-config.ts";
import { isNorm, parameterShapes } from "../transformer/parameters.ts";

interface TinySizes {
  readonly vocabulary: number;
  readonly width: number;
  readonly inner: number;
  readonly heads: number;
  /** Default 1. */
  readonly keyValueHeads?: number;
  /** Default 2. */
  readonly layers?: number;
}

/** Configuration with a tied head. @param others - further keys, or other values */
export function tinyConfig(
  modelType: string,
  { vocabulary, width, inner, heads, keyValueHeads = 1, layers = 2 }: TinySizes,
  others: UnknownRecord = {},
): UnknownRecord {
  return {
    model_type: modelType,
    vocab_size: vocabulary,
    hidden_size: width,
    intermediate_size: inner,
    num_hidden_layers: layers,
    num_attention_heads: heads,
    num_key_value_heads: keyValueHeads,
    max_position_embeddings: 32,
    rms_norm_eps: 1e-6,
    rope_theta: 10_000,
    tie_word_embeddings: true,
    ...others,
  };
}

/** Configurations small enough for finite differences: all architectures, odd sizes, grouped, tied and untied heads. */
export const tinyConfigs: Readonly<Record<string, UnknownRecord>> = {
  "qwen2, tied head, 2 query heads per key": tinyConfig("qwen2", { vocabulary: 11, width: 12, inner: 10, heads: 2 }),
  "qwen3, free head, 4 query heads per key, heads wider than the model": tinyConfig(
    "qwen3",
    { vocabulary: 13, width: 9, inner: 7, heads: 4 },
    { head_dim: 6, rms_norm_eps: 1e-5, rope_theta: 1_000_000, tie_word_embeddings: false },
  ),
  "qwen3, tied head": tinyConfig(
    "qwen3",
    { vocabulary: 7, width: 8, inner: 5, heads: 4, keyValueHeads: 2, layers: 1 },
    { head_dim: 4 },
  ),
  "llama, free head, biases, stretched positions": tinyConfig(
    "llama",
    { vocabulary: 10, width: 12, inner: 9, heads: 2, keyValueHeads: 2 },
    {
      attention_bias: true,
      rms_norm_eps: 1e-5,
      rope_theta: 20,
      rope_scaling: {
        rope_type: "llama3",
        factor: 8,
        low_freq_factor: 1,
        high_freq_factor: 4,
        original_max_position_embeddings: 16,
      },
      tie_word_embeddings: false,
    },
  ),
  "llama, tied head, 3 layers": tinyConfig(
    "llama",
    { vocabulary: 6, width: 4, inner: 6, heads: 2, layers: 3 },
    { rms_norm_eps: 1e-5 },
  ),
};

const family = (model_type: string, change: UnknownRecord): UnknownRecord =>
  // The default of `pad_token_id` is outside this vocabulary.
  tinyConfig(
    model_type,
    { vocabulary: 11, width: 16, inner: 10, heads: 2 },
    { rms_norm_eps: 1e-5, pad_token_id: null, ...change },
  );
const yarn = { rope_type: "yarn", factor: 4, original_max_position_embeddings: 8 };
const longrope = { short_factor: [1, 1.5, 2.5], long_factor: [2, 3, 4], original_max_position_embeddings: 16 };

/** More families, each with unusual options; compared with transformers. */
export const familyConfigs: Readonly<Record<string, UnknownRecord>> = {
  "smollm3, listed layers": family("smollm3", { num_hidden_layers: 3, no_rope_layers: [1, 0, 1] }),
  "smollm3, interval": family("smollm3", { no_rope_layer_interval: 2, mlp_bias: true, num_key_value_heads: null }),
  "phi3, window": family("phi3", { sliding_window: 20, tie_word_embeddings: false }),
  "phi3, longrope on a part": family("phi3", {
    partial_rotary_factor: 0.75,
    original_max_position_embeddings: 16,
    num_attention_heads: 2,
    rope_scaling: { type: "longrope", ...longrope },
  }),
  "olmo2, biases": family("olmo2", { attention_bias: true, tie_word_embeddings: false }),
  "olmo3, yarn on full layers": family("olmo3", {
    sliding_window: 20,
    layer_types: ["sliding_attention", "full_attention"],
    rope_scaling: yarn,
    rope_theta: 500000,
  }),
  "olmo3, thetas": family("olmo3", {
    sliding_window: 20,
    num_hidden_layers: 4,
    rope_theta: undefined,
    rope_parameters: {
      full_attention: { rope_type: "linear", rope_theta: 50, factor: 3 },
      sliding_attention: { rope_type: "default", rope_theta: 20 },
    },
  }),
  granite: family("granite", {
    embedding_multiplier: 3,
    attention_multiplier: 0.2,
    residual_multiplier: 0.4,
    logits_scaling: 2.5,
    attention_bias: true,
    mlp_bias: true,
    attention_dropout: 0.1,
  }),
  "seed_oss, biases": family("seed_oss", { head_dim: 6, attention_out_bias: true, tie_word_embeddings: false }),
  "ministral, keys of transformers 5": family("ministral", {
    sliding_window: 20,
    rope_theta: undefined,
    rope_parameters: { rope_type: "default", rope_theta: 77 },
    layer_types: ["sliding_attention", "full_attention"],
    head_dim: 6,
  }),
  "mistral, window": family("mistral", { sliding_window: 20, head_dim: 10 }),
  "exaone4, window": family("exaone4", { sliding_window: 20, sliding_window_pattern: 2, num_attention_heads: 4 }),
  "exaone4, full": family("exaone4", { sliding_window: null, layer_types: ["full_attention", "full_attention"] }),
  helium: family("helium", { head_dim: 8, attention_bias: true, mlp_bias: true }),
  "ernie4_5, biases": family("ernie4_5", { head_dim: 6, use_bias: true }),
  "glm, biases": family("glm", { head_dim: 8, tie_word_embeddings: false }),
  glm4: family("glm4", { head_dim: 12, attention_bias: false, num_attention_heads: 4, num_key_value_heads: 2 }),
  "hunyuan, scaled theta": family("hunyuan_v1_dense", {
    head_dim: 8,
    rope_scaling: { type: "dynamic", alpha: 1000, factor: 1, beta_fast: 32, beta_slow: 1 },
  }),
  "arcee, biases": family("arcee", { head_dim: 6, attention_bias: true, mlp_bias: true, rms_norm_eps: undefined }),
  gemma: family("gemma", { head_dim: 10, tie_word_embeddings: undefined }),
  "gemma3, thetas": family("gemma3_text", {
    head_dim: 6,
    sliding_window: 20,
    sliding_window_pattern: 2,
    query_pre_attn_scalar: 3,
    rope_theta: 50,
    rope_local_base_freq: 20,
    rope_scaling: { rope_type: "linear", factor: 3 },
  }),
  "gemma3, keys of transformers 5": family("gemma3_text", {
    head_dim: 6,
    sliding_window: 20,
    layer_types: ["full_attention", "sliding_attention"],
    rope_theta: undefined,
    rope_parameters: { full_attention: { rope_theta: 70 }, sliding_attention: { rope_theta: 30 } },
    tie_word_embeddings: false,
  }),
  "qwen3, yarn, biases": family("qwen3", { head_dim: 16, attention_bias: true, rope_scaling: yarn }),
  "llama, yarn without rounding": family("llama", {
    rope_scaling: { ...yarn, truncate: false, beta_fast: 4, mscale: 0.7, mscale_all_dim: 0.4 },
    rope_theta: 50,
  }),
  "qwen2, linear, late window": family("qwen2", {
    use_sliding_window: true,
    max_window_layers: 1,
    sliding_window: 20,
    rope_scaling: { type: "linear", factor: 2.5 },
  }),
};

/** Weights large enough that every part matters; norms near 1, nonzero biases. */
export function randomParameters(config: ModelConfig, seed: string | number): Map<string, Float64Array> {
  const parameters = new Map<string, Float64Array>();
  for (const [name, shape] of parameterShapes(config)) {
    const random = randomFromSeed(`${seed} ${name}`);
    const length = sizeOf(shape);
    const centre = isNorm(name, shape) && !config.family.normOffset ? 1 : 0;
    parameters.set(
      name,
      Float64Array.from({ length }, () => centre + 0.4 * random.normal()),
    );
  }
  return parameters;
}
